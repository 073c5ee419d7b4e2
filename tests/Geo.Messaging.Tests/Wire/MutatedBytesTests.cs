namespace Geo.Messaging.Tests;

/// <summary>Whatever arrives is either understood or refused: never a crash, never memory for what is only announced.</summary>
[Collection(ProcessWide.Name)]
public sealed class MutatedBytesTests
{
    private const int MaxPayload = 4096;

    [Fact]
    public async Task Mutated_streams_of_frames_of_every_kind_are_read_or_refused()
    {
        const int Rounds = 550_000;
        var random = new Random(20190711);
        var sound = Conversation.Frames();
        var wire = new ScriptedConnection();
        var sink = new CountingSink(MaxPayload);
        var faults = 0;
        var before = GC.GetTotalAllocatedBytes();
        for (var round = 0; round < Rounds; round++)
        {
            wire.Script = Mutation.Of(sound, random);
            var reader = new LaneReader(wire, bufferBytes: 1024, MaxPayload, TimeProvider.System);
            var (reason, isFault) = await reader.RunAsync(sink);
            Assert.NotEmpty(reason);
            faults += isFault ? 1 : 0;
        }

        // The mutants themselves are the greater part.
        var perRound = (GC.GetTotalAllocatedBytes() - before) / Rounds;
        Assert.InRange(faults, Rounds / 20, Rounds);
        Assert.InRange(sink.Frames, Rounds, long.MaxValue);
        Assert.All(
            Enum.GetValues<FrameKind>().Where(kind => kind is not (FrameKind.Ready or FrameKind.Piece)),
            kind => Assert.Contains(kind, sink.Kinds));
        Assert.True(sink.Traced > 0);
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

    [Fact]
    public async Task Mutated_pieces_are_put_together_or_refused()
    {
        const int Rounds = 30_000;
        const int MaxLarge = 200_000;
        var random = new Random(64);
        byte[] sound = [.. Conversation.Frames()[..^22], .. Conversation.Piece()];

        // The headers before the piece and its own are where a mutation hurts.
        var headers = sound.Length - Conversation.LargeBytes;
        var memory = new NodeBudget(long.MaxValue);
        var (wire, faults, whole) = (new ScriptedConnection(), 0, 0);
        var before = GC.GetTotalAllocatedBytes();
        for (var round = 0; round < Rounds; round++)
        {
            var changes = Enumerable.Range(0, random.Next(1, 4))
                .Select(_ => (At: headers - 1 - random.Next(200), By: (byte)random.Next(1, 256)))
                .ToList();
            changes.ForEach(change => sound[change.At] ^= change.By);
            wire.Script = sound;
            var pieces = new PieceSink();
            var inbox = new LargeInbox(MaxLarge, 2 * MaxLarge, memory.NewShare(new object()), pieces);
            var (reason, isFault) = await new LaneReader(wire, 4096, MaxLarge, TimeProvider.System).RunAsync(new InboxSink(inbox));
            Assert.NotEmpty(reason);
            (faults, whole) = (faults + (isFault ? 1 : 0), whole + (pieces.Handled > 0 ? 1 : 0));
            inbox.Close();
            changes.ForEach(change => sound[change.At] ^= change.By);
        }

        Assert.InRange(faults, Rounds / 10, Rounds);
        Assert.InRange(whole, Rounds / 20, Rounds);
        Assert.Equal(0, memory.Held);
        Assert.InRange((GC.GetTotalAllocatedBytes() - before) / Rounds, 0, MaxLarge + 8192);
    }

    private sealed class InboxSink(LargeInbox inbox) : ILaneSink
    {
        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload) => header.Kind switch
        {
            FrameKind.Announce => inbox.Announce(header.Number, payload.Span),
            FrameKind.Follows => inbox.Follow(header.Number, payload, out _, out _),
            _ => null,
        };

        public string? BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => inbox.Begin(number, piece, out into);

        public void EndPiece(ulong number, PieceHeader piece) => inbox.End(number, piece);

        public ValueTask OnReceivedAsync() => default;
    }

    private sealed class CountingSink(int maxPayload) : ILaneSink
    {
        public long Frames { get; private set; }

        public long Traced { get; private set; }

        public HashSet<FrameKind> Kinds { get; } = [];

        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
        {
            Assert.InRange(payload.Length, 0, maxPayload);
            Frames++;
            Traced += TraceContext.Of(header, preface) == default ? 0 : 1;
            Kinds.Add(header.Kind);
            return null;
        }

        public string? BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into)
        {
            into = new byte[piece.Length];
            return null;
        }

        public void EndPiece(ulong number, PieceHeader piece)
        {
        }

        public ValueTask OnReceivedAsync() => default;
    }
}
