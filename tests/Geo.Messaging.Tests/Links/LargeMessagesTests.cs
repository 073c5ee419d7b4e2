using System.Text;

namespace Geo.Messaging.Tests;

public sealed class LargeMessagesTests
{
    private const int MaxMessage = 1024 * 1024;

    private readonly OutboundQueue _queue = new(new ChannelOptions(), MaxMessage, TimeProvider.System, (_, _) => { });

    [Theory]
    [InlineData(65_400)]
    [InlineData(65_503)]
    [InlineData(65_504)]
    [InlineData(131_023)]
    [InlineData(131_024)]
    [InlineData(1_000_000)]
    public async Task A_message_of_any_size_is_put_together_as_it_was(int size)
    {
        var payload = Filled(size, seed: size);
        Send(payload, key: 1);

        var (_, received, reason) = await ReceiveAsync(Drain());

        Assert.Equal([payload], received);
        Assert.Equal("the remote closed the connection", reason);
        Assert.Equal(0, _queue.Bytes);
    }

    [Fact]
    public async Task A_small_message_of_another_key_passes_a_large_one()
    {
        Send(Filled(900_000, seed: 1), key: 1);
        List<ArraySegment<byte>> batch = [];
        Assert.True(_queue.TryTake(batch));
        var first = batch.Sum(segment => segment.Count);
        Assert.InRange(first, 64 * 1024, 320 * 1024);
        byte[] wire = [.. batch.SelectMany(segment => segment)];
        _queue.Release();

        Send([42], key: 2);
        var (order, received, _) = await ReceiveAsync([.. wire, .. Drain()]);

        Assert.Equal([1, 900_000], order);
        Assert.Equal([42], received[0]);
    }

    [Fact]
    public async Task Messages_of_one_key_keep_their_order_whatever_their_sizes()
    {
        int[] sizes = [10, 500_000, 20, 30, 100_000, 40];
        foreach (var size in sizes)
        {
            Send(Filled(size, size), key: 7);
        }

        var (order, received, _) = await ReceiveAsync(Drain());

        Assert.Equal(sizes, order);
        Assert.Equal(sizes.Select(size => Filled(size, size)), received);
    }

    [Fact]
    public async Task Large_messages_of_different_keys_take_turns()
    {
        Send(Filled(600_000, seed: 1), key: 1);
        Send(Filled(70_000, seed: 2), key: 2);
        Send(Filled(140_000, seed: 3), key: 3);

        var (order, received, _) = await ReceiveAsync(Drain());

        Assert.Equal([70_000, 140_000, 600_000], order);
        Assert.Equal(Filled(600_000, seed: 1), received[2]);
    }

    [Fact]
    public async Task More_is_not_begun_than_the_remote_puts_together_at_once_and_nothing_starves()
    {
        for (var key = 0; key < 8; key++)
        {
            Send(Filled(400_000 + key, seed: key), key);
        }

        Send(Filled(MaxMessage, seed: 9), key: 9);
        Send(Filled(70_000, seed: 10), key: 10);

        var (order, _, reason) = await ReceiveAsync(Drain());

        Assert.Equal("the remote closed the connection", reason);
        Assert.Equal(10, order.Length);
        Assert.Equal([MaxMessage, 70_000], order[^2..]);
    }

    [Fact]
    public void Fragments_beyond_what_may_be_open_are_a_fault_before_anything_is_kept_for_them()
    {
        var assembly = new FragmentAssembly(MaxMessage, WireVersions.Latest);
        Assert.Null(assembly.Add(1, FirstFragment(FrameKind.Request, MaxMessage), out var fault));
        Assert.Null(fault);

        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Null(assembly.Add(2, FirstFragment(FrameKind.Request, MaxMessage), out fault));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 200_000);
        Assert.Contains("too many messages in fragments", fault, StringComparison.Ordinal);

        Assert.Null(assembly.Add(3, FirstFragment(FrameKind.Request, MaxMessage + 1), out fault));
        Assert.Contains("too large", fault, StringComparison.Ordinal);
        Assert.Null(assembly.Add(4, FirstFragment(FrameKind.Goodbye, 100_000), out fault));
        Assert.Contains("Goodbye frame in fragments", fault, StringComparison.Ordinal);
        Assert.Null(assembly.Add(5, FirstFragment(FrameKind.Request, 100), out fault));
        Assert.Contains("needs none", fault, StringComparison.Ordinal);
        Assert.Null(assembly.Add(6, [1, 2, 3], out fault));
        Assert.Contains("without a whole header", fault, StringComparison.Ordinal);
    }

    [Fact]
    public void A_large_message_is_untouched_until_its_first_fragment_is_taken()
    {
        _queue.TryAppend(FrameKind.Request, 1, "s", Filled(900_000, 1), PartitionKey.From(1), out var first);
        _queue.TryAppend(FrameKind.Request, 2, "s", Filled(10, 1), PartitionKey.From(1), out var behind);
        Assert.False(_queue.WasTaken(first));

        Assert.True(_queue.TryTake([]));

        Assert.True(_queue.WasTaken(first));
        Assert.False(_queue.WasTaken(behind));
        Assert.Equal(2, _queue.Discard());
    }

    private static byte[] FirstFragment(FrameKind kind, int payloadBytes)
    {
        var fragment = new byte[FrameHeader.Size + 1];
        new FrameHeader(kind, 1, kind == FrameKind.Request ? 1 : 0, payloadBytes).Write(fragment);
        return fragment;
    }

    private static byte[] Filled(int size, int seed)
    {
        var bytes = new byte[size];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private void Send(byte[] payload, int key) =>
        Assert.Equal(SendOutcome.Queued, _queue.TryAppend(FrameKind.OneWay, 0, "s", payload, PartitionKey.From(key), out _));

    private byte[] Drain()
    {
        List<byte> all = [];
        List<ArraySegment<byte>> batch = [];
        while (_queue.TryTake(batch))
        {
            batch.ForEach(segment => all.AddRange(segment.AsSpan()));
            _queue.Release();
        }

        return [.. all];
    }

    private static async Task<(int[] Order, byte[][] Received, string Reason)> ReceiveAsync(byte[] wire)
    {
        var sink = new Sink();
        var (reason, isFault) = await new FrameReceiver(new Script(wire), 128 * 1024, MaxMessage, WireVersions.Latest, TimeProvider.System)
            .RunAsync(sink);
        Assert.False(isFault, reason);
        return ([.. sink.Received.Select(payload => payload.Length)], [.. sink.Received], reason);
    }

    private sealed class Sink : IFrameSink
    {
        public List<byte[]> Received { get; } = [];

        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload, bool owned)
        {
            Assert.Equal("s", Encoding.UTF8.GetString(preface));
            Received.Add(payload.ToArray());
            return null;
        }

        public ValueTask OnReceivedAsync() => default;
    }

    private sealed class Script(byte[] wire) : IWireConnection
    {
        private int _given;

        public string Remote => "script";

        public ValueTask<int> ReceiveAsync(Memory<byte> buffer)
        {
            var next = Math.Min(buffer.Length, wire.Length - _given);
            wire.AsSpan(_given, next).CopyTo(buffer.Span);
            _given += next;
            return new(next);
        }

        public ValueTask SendAsync(List<ArraySegment<byte>> segments) => ValueTask.CompletedTask;

        public void FinishSending()
        {
        }

        public void Dispose()
        {
        }
    }
}
