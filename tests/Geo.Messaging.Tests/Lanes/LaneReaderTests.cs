namespace Geo.Messaging.Tests;

public sealed class LaneReaderTests
{
    [Fact]
    public async Task Who_starts_the_loop_is_not_held_by_a_handler_of_what_was_there_already()
    {
        using var wire = new AtOnceTransport.Wire(Conversation.Ping());
        using var release = new ManualResetEventSlim();
        var sink = new BlockingSink(release);
        var reader = new LaneReader(wire, 4096, 4096, TimeProvider.System);
        Task<(string Reason, bool IsFault)>? loop = null;
        var start = Task.Factory.StartNew(
            () => loop = reader.RunAsync(sink), Net.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Eventually.InTimeAsync(sink.Blocked);
        try
        {
            await Eventually.InTimeAsync(start);
        }
        finally
        {
            release.Set();
            wire.Dispose();
            await start;
        }

        Assert.Equal(("closed", false), await loop!);
    }

    private sealed class BlockingSink(ManualResetEventSlim release) : ILaneSink
    {
        private readonly TaskCompletionSource _blocked = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Blocked => _blocked.Task;

        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload) => null;

        public string? BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => throw new NotSupportedException();

        public void EndPiece(ulong number, PieceHeader piece) => throw new NotSupportedException();

        public ValueTask OnReceivedAsync()
        {
            _blocked.TrySetResult();
            release.Wait(Net.Token);
            return default;
        }
    }
}
