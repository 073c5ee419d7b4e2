using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>Whatever arrives is either understood or refused: never a crash, never memory for what is only announced.</summary>
public sealed class MutatedBytesTests
{
    private const int MaxPayload = 4096;

    [Fact]
    public async Task A_quarter_million_mutated_streams_of_frames_are_read_or_refused()
    {
        var random = new Random(20190711);
        var sound = SoundStream();
        var wire = new ScriptedConnection();
        var sink = new CountingSink(MaxPayload);
        var faults = 0;
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < 250_000; round++)
        {
            wire.Script = Mutate(sound, random);
            var receiver = new FrameReceiver(wire, bufferBytes: 1024, MaxPayload, TimeProvider.System);
            var (reason, isFault) = await receiver.RunAsync(sink);
            Assert.NotEmpty(reason);
            faults += isFault ? 1 : 0;
        }

        // The rounds complete synchronously, so all of it is this thread's; the mutants themselves are the greater part.
        var perRound = (GC.GetAllocatedBytesForCurrentThread() - before) / 250_000;
        Assert.InRange(faults, 10_000, 240_000);
        Assert.InRange(sink.Frames, 250_000, long.MaxValue);
        Assert.InRange(perRound, 0, 16 * 1024);
    }

    [Fact]
    public void A_quarter_million_mutated_handshakes_are_read_or_refused()
    {
        var random = new Random(42);
        var identity = new PeerIdentity(new PeerId("us/1"), new ClusterId("us"), "us/1", 7);
        byte[][] sound =
        [
            Handshake.Write(new Hello(WireVersions.Current, identity, new ClusterId("eu"), 1, new LanePlan([("default", 2), ("gossip", 1)]), new LaneId("default", 0), MaxPayload)),
            Handshake.Write(new Welcome(1, identity, MaxPayload)),
            Handshake.Write(new Refusal(RefusalReason.WireVersion, "too old", new PeerId("eu/1"))),
        ];
        var refused = 0;
        for (var round = 0; round < 250_000; round++)
        {
            var bytes = Mutate(sound[round % sound.Length], random);
            try
            {
                if (bytes.Length < Handshake.PreambleBytes)
                {
                    continue;
                }

                Handshake.ReadPreamble(bytes);
                _ = round % sound.Length == 0
                    ? (object)Handshake.ReadHello(bytes.AsSpan(Handshake.PreambleBytes))
                    : Handshake.ReadAnswer(bytes.AsSpan(Handshake.PreambleBytes));
            }
            catch (GeoSerializationException)
            {
                refused++;
            }
        }

        Assert.InRange(refused, 100_000, 249_999);
    }

    [Fact]
    public async Task Mutated_fragments_are_put_together_or_refused()
    {
        const int MaxLarge = 200_000;
        var random = new Random(64);
        var queue = new OutboundQueue(new ChannelOptions(), MaxLarge, TimeProvider.System, (_, _) => { });
        queue.TryAppend(FrameKind.OneWay, 0, "geo.test", new byte[70_000], PartitionKey.From(1), out _);
        queue.TryAppend(FrameKind.Request, 1, "geo.test", new byte[100_000], PartitionKey.From(2), out _);
        List<ArraySegment<byte>> batch = [];
        queue.TryTake(batch);
        byte[] sound = [.. batch.SelectMany(segment => segment)];

        // The headers of the fragments and of the messages in them are where a mutation hurts.
        int[] headers = [.. Enumerable.Range(0, sound.Length / (Fragment.MaxBytes + FrameHeader.Size)).Select(i => i * (Fragment.MaxBytes + FrameHeader.Size))];
        var (wire, sink, faults) = (new ScriptedConnection(), new CountingSink(MaxLarge), 0);
        for (var round = 0; round < 5_000; round++)
        {
            var bytes = (byte[])sound.Clone();
            for (var change = random.Next(1, 4); change > 0; change--)
            {
                bytes[headers[random.Next(headers.Length)] + random.Next(2 * FrameHeader.Size)] ^= (byte)random.Next(1, 256);
            }

            wire.Script = bytes;
            var (reason, isFault) = await new FrameReceiver(wire, 128 * 1024, MaxLarge, TimeProvider.System).RunAsync(sink);
            Assert.NotEmpty(reason);
            faults += isFault ? 1 : 0;
        }

        Assert.InRange(faults, 1_000, 5_000);
        Assert.InRange(sink.Frames, 500, 10_000);
    }

    private static byte[] SoundStream()
    {
        var queue = new OutboundQueue(new ChannelOptions(), MaxPayload, TimeProvider.System, (_, _) => { });
        queue.TryAppend(FrameKind.OneWay, 0, "geo.test", Encoding.UTF8.GetBytes("one"), default, out _);
        queue.TryAppend(FrameKind.Request, 1, "geo.test", new byte[200], default, out _);
        queue.TryAppend(FrameKind.Reply, 1, "", new byte[1500], default, out _);
        queue.TryAppend(FrameKind.Ping, 99, "", default, default, out _);
        List<ArraySegment<byte>> batch = [];
        queue.TryTake(batch);
        return [.. batch.SelectMany(segment => segment)];
    }

    private static byte[] Mutate(byte[] sound, Random random)
    {
        var bytes = (byte[])sound.Clone();
        for (var change = random.Next(1, 4); change > 0; change--)
        {
            switch (random.Next(4))
            {
                case 0:
                    bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    // The first bytes are where lengths, kinds and tags are.
                    bytes[random.Next(Math.Min(48, bytes.Length))] = (byte)random.Next(256);
                    break;
                case 2:
                    bytes = bytes[..random.Next(1, bytes.Length + 1)];
                    break;
                default:
                    random.NextBytes(bytes.AsSpan(random.Next(bytes.Length)));
                    break;
            }
        }

        return bytes;
    }

    private sealed class CountingSink(int maxPayload) : IFrameSink
    {
        public long Frames { get; private set; }

        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> service, ReadOnlyMemory<byte> payload, bool owned)
        {
            Assert.InRange(payload.Length, 0, maxPayload);
            Frames++;
            return null;
        }

        public ValueTask OnReceivedAsync() => default;

        public ReceivedWork TakeWork() => default;
    }

    private sealed class ScriptedConnection : IWireConnection
    {
        private int _given;
        private byte[] _script = [];

        public byte[] Script
        {
            set => (_script, _given) = (value, 0);
        }

        public string Remote => "script";

        public ValueTask<int> ReceiveAsync(Memory<byte> buffer)
        {
            var next = Math.Min(buffer.Length, _script.Length - _given);
            _script.AsSpan(_given, next).CopyTo(buffer.Span);
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
