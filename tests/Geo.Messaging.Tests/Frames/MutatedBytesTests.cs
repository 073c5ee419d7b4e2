namespace Geo.Messaging.Tests;

/// <summary>Whatever arrives is either understood or refused: never a crash, never memory for what is only announced.</summary>
public sealed class MutatedBytesTests
{
    private const int MaxPayload = 4096;

    [Theory]
    [InlineData(1, 200_000)]
    [InlineData(2, 350_000)]
    public async Task Mutated_streams_of_frames_of_every_kind_are_read_or_refused(int version, int rounds)
    {
        var random = new Random(20190711 + version);
        byte[] sound = [.. Conversation.Frames(version, MaxPayload), .. version >= WireVersions.WithBulkLanes ? Conversation.Piece() : []];
        var wire = new ScriptedConnection();
        var sink = new CountingSink(MaxPayload);
        var faults = 0;
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < rounds; round++)
        {
            wire.Script = Mutation.Of(sound, random);
            var receiver = new FrameReceiver(wire, bufferBytes: 1024, MaxPayload, version, TimeProvider.System);
            var (reason, isFault) = await receiver.RunAsync(sink);
            Assert.NotEmpty(reason);
            faults += isFault ? 1 : 0;
        }

        // The rounds complete synchronously, so all of it is this thread's; the mutants themselves are the greater part.
        var perRound = (GC.GetAllocatedBytesForCurrentThread() - before) / rounds;
        Assert.InRange(faults, rounds / 20, rounds);
        Assert.InRange(sink.Frames, rounds, long.MaxValue);
        var newest = version >= WireVersions.WithBulkLanes ? FrameKind.OpenLanes : FrameKind.Ready;
        Assert.All(
            Enum.GetValues<FrameKind>().Where(kind => kind <= newest && kind is not (FrameKind.Ready or FrameKind.Fragment)),
            kind => Assert.Contains(kind, sink.Kinds));
        Assert.Equal(version >= WireVersions.WithTraces, sink.Traced > 0);
        Assert.InRange(perRound, 0, 16 * 1024);
    }

    [Fact]
    public void Mutated_handshakes_are_read_or_refused()
    {
        const int Rounds = 400_000;
        var random = new Random(42);
        var identity = new PeerIdentity(new PeerId("us/1"), new ClusterId("us"), "us/1", 7);
        byte[][] sound =
        [
            Handshake.Write(
                new Hello(
                    WireVersions.Current, identity, new ClusterId("eu"), 1, new LanePlan([new("default", 2), new("gossip", 1)]),
                    new LaneId("default", 0), MaxPayload)),
            Handshake.Write(new Welcome(1, identity, MaxPayload)),
            Handshake.Write(new Refusal(RefusalReason.WireVersion, "too old", new PeerId("eu/1"))),
        ];
        var refused = 0;
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < Rounds; round++)
        {
            var bytes = Mutation.Of(sound[round % sound.Length], random);
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

        Assert.InRange(refused, Rounds / 4, Rounds);
        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / Rounds, 0, 64 * 1024);
    }

    [Theory]
    [InlineData(1, 10_000)]
    [InlineData(2, 20_000)]
    public async Task Mutated_fragments_are_put_together_or_refused(int version, int rounds)
    {
        const int MaxLarge = 200_000;
        var random = new Random(64 + version);
        var sound = Conversation.Fragments(version, MaxLarge);

        // The headers of the fragments and of the messages in them are where a mutation hurts.
        const int Piece = Fragment.MaxBytes + FrameHeader.Size;
        var headers = sound.Length / Piece;
        var (wire, sink, faults) = (new ScriptedConnection(), new CountingSink(MaxLarge), 0);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < rounds; round++)
        {
            var changes = Enumerable.Range(0, random.Next(1, 4))
                .Select(_ => (At: (random.Next(headers) * Piece) + random.Next(2 * FrameHeader.Size), By: (byte)random.Next(1, 256)))
                .ToList();
            changes.ForEach(change => sound[change.At] ^= change.By);
            wire.Script = sound;
            var (reason, isFault) = await new FrameReceiver(wire, 128 * 1024, MaxLarge, version, TimeProvider.System).RunAsync(sink);
            Assert.NotEmpty(reason);
            faults += isFault ? 1 : 0;
            changes.ForEach(change => sound[change.At] ^= change.By);
        }

        Assert.InRange(faults, rounds / 5, rounds);
        Assert.InRange(sink.Frames, rounds / 10, 2 * rounds);
        Assert.InRange((GC.GetAllocatedBytesForCurrentThread() - before) / rounds, 0, MaxLarge + 8192);
    }

    private sealed class CountingSink(int maxPayload) : IFrameSink
    {
        public long Frames { get; private set; }

        public long Traced { get; private set; }

        public HashSet<FrameKind> Kinds { get; } = [];

        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload, bool owned)
        {
            Assert.InRange(payload.Length, 0, maxPayload);
            Frames++;
            Traced += TraceContext.Of(header, preface) == default ? 0 : 1;
            Kinds.Add(header.Kind);
            return null;
        }

        public ValueTask OnReceivedAsync() => default;
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
