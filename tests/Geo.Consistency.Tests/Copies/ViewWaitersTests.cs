namespace Geo.Consistency.Tests.Copies;

public sealed class ViewWaitersTests
{
    private const int Limit = 1_000;

    private readonly ViewWaiters _waiters = new("notes/1", Limit);

    [Fact]
    public async Task Who_gives_up_is_taken_out_at_once_and_the_others_are_served()
    {
        using var patience = new CancellationTokenSource();
        using var longer = new CancellationTokenSource();
        var given = _waiters.Confirm(1, patience.Token);
        var kept = _waiters.Confirm(1, longer.Token);
        var refresh = _waiters.Refresh(1, patience.Token);
        Assert.Equal(3, _waiters.Count);

        await patience.CancelAsync();

        Assert.Equal((1, false), (_waiters.Count, _waiters.WantsRefresh));
        await Assert.ThrowsAsync<TaskCanceledException>(() => given);
        await Assert.ThrowsAsync<TaskCanceledException>(() => refresh);
        _waiters.Succeeded(_waiters.Begin(TimeProvider.System), 1);
        Assert.True(await kept);
        Assert.False(_waiters.Any);
    }

    [Fact]
    public async Task More_than_the_limit_are_refused_until_one_gives_up()
    {
        using var patience = new CancellationTokenSource();
        using var longer = new CancellationTokenSource();
        var first = _waiters.Refresh(1, patience.Token);
        var others = Enumerable.Range(1, Limit - 1).Select(i => _waiters.Confirm(i, longer.Token)).ToArray();

        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => _waiters.Refresh(1, longer.Token));
        Assert.Contains("MaxWaiters", refused.Message, StringComparison.Ordinal);
        await patience.CancelAsync();
        var next = _waiters.Refresh(1, longer.Token);

        Assert.True(first.IsCanceled);
        Assert.Equal(Limit, _waiters.Count);
        _waiters.Succeeded(_waiters.Begin(TimeProvider.System), Limit);
        Assert.True(await next);
        Assert.All(await Task.WhenAll(others), Assert.True);
    }

    [Fact]
    public void Who_has_given_up_before_does_not_begin_to_wait()
    {
        Assert.True(_waiters.Confirm(1, new CancellationToken(canceled: true)).IsCanceled);
        Assert.False(_waiters.Any);
    }

    [Fact]
    public async Task Who_cannot_give_up_shares_a_wait()
    {
        Assert.Same(_waiters.Refresh(1, default), _waiters.Refresh(1, default));
        Assert.Equal(1, _waiters.Count);
        var failure = new GeoException("no");
        var wait = _waiters.Refresh(1, default);
        _waiters.Fail(failure);
        Assert.Same(failure, await Assert.ThrowsAsync<GeoException>(() => wait));
    }

    [Fact]
    public async Task Waits_given_up_on_many_threads_while_others_are_served_leave_nobody()
    {
        const int rounds = 200;
        var outcomes = 0;
        for (var round = 0; round < rounds; round++)
        {
            using var patience = new CancellationTokenSource();
            var waits = Enumerable.Range(1, 50)
                .Select(i => i % 2 == 0 ? _waiters.Confirm(i, patience.Token) : _waiters.Refresh(i, patience.Token)).ToArray();
            var giveUp = Task.Run(patience.Cancel, TestContext.Current.CancellationToken);
            _waiters.Succeeded(_waiters.Begin(TimeProvider.System), 50);
            await giveUp;
            Assert.False(_waiters.Any);
            outcomes += waits.Count(w => w.IsCanceled || w.IsCompletedSuccessfully);
        }

        Assert.Equal(rounds * 50, outcomes);
    }
}
