namespace Geo.Messaging.Tests;

/// <summary>Limits by peer are limits by peer, whatever the number of its lanes.</summary>
public sealed class PeerLimitTests : IAsyncDisposable
{
    private const int Lanes = 4;
    private const int Limit = 8;
    private const int Requests = 8 * Limit;

    private readonly Net _net = new();
    private readonly TaskCompletionSource _gate = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task No_more_requests_wait_and_no_more_handlers_run_for_a_peer_than_its_limit_on_all_lanes_together(bool limitsRequests)
    {
        var (dialler, listener) = await _net.PairAsync(options => options with
        {
            DefaultChannel = new() { Parallelism = Lanes, Lanes = LaneUse.ByKey },
            MaxPendingRequests = limitsRequests ? Limit : Requests,
            MaxRunningHandlers = limitsRequests ? Requests : Limit,
        });
        var running = 0;
        using var there = listener.Handle("slow", async (_, _) =>
        {
            Interlocked.Increment(ref running);
            await _gate.Task;
            return default;
        });

        var requests = Enumerable.Range(0, Requests)
            .Select(key => new MessageOptions(PartitionKey: PartitionKey.From(key)))
            .Select(options => dialler.RequestAsync(listener.Peer, "slow", default, options, Net.Token).AsTask())
            .ToList();
        await Eventually.HoldsAsync(
            () => requests.Count(request => request.IsCompleted) >= Requests - Limit, "what exceeds the limit is refused");
        await Eventually.HoldsAsync(() => Volatile.Read(ref running) == Limit, "the others run");
        _gate.SetResult();

        var replies = await Eventually.InTimeAsync(Task.WhenAll(requests));
        Assert.Equal(Limit, replies.Count(reply => reply.Outcome == ReplyOutcome.Replied));
        Assert.Equal(Requests - Limit, replies.Count(reply => reply.Outcome == ReplyOutcome.Refused));
        Assert.Equal(
            ReplyOutcome.Replied, (await dialler.RequestAsync(listener.Peer, "slow", default, default, Net.Token)).Outcome);
    }
}
