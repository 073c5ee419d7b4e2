namespace Geo.Consistency.Tests.Copies;

/// <summary>Conditions that wait in a queue go by the last version shown.</summary>
public sealed class RebaseTests
{
    private static readonly VersionBase Raised = new(new(1, new("a"), 1), 4);
    private static readonly VersionBase Shown = new(new(2, new("b"), 2), 5);

    private readonly UpdateQueue<string> _queue = new("notes/1", 100, 100);

    [Fact]
    public void A_condition_with_only_own_updates_below_it_goes_on_top_of_the_version_shown()
    {
        _queue.Add("u1");
        var (group, decision) = Add(expected: 5);
        _queue.RemoveConfirmed(1);
        _queue.Rebase(Shown);
        Assert.Equal((Shown, 1), (group.Base, _queue.Count));
        Assert.False(decision.Task.IsCompleted);
    }

    [Fact]
    public async Task One_with_another_instances_update_below_it_is_refused_and_with_it_all_that_were_raised_on_it()
    {
        _queue.Add("u1");
        var (_, first) = Add(expected: 5);
        var (_, second) = Add(expected: 6);
        _queue.Add("u2");
        _queue.Rebase(Shown);
        Assert.Equal(["u1", "u2"], _queue.Snapshot());
        Assert.False(await first.Task);
        Assert.False(await second.Task);
    }

    [Fact]
    public void A_decision_takes_what_was_sent_and_not_what_was_queued_behind_a_condition_refused_since()
    {
        _queue.Add("u1");
        Add(expected: 6);
        _queue.Add("u3");
        _queue.Rebase(Shown with { Version = 9 });
        Assert.Equal(["u1", "u3"], _queue.Snapshot());
        _queue.Settle(new BatchNumber(2, IsRefused: true));
        Assert.Equal(["u3"], _queue.Snapshot());
        Assert.Equal((2, 1), (_queue.ResolvedThrough, _queue.CountThrough(3)));
    }

    [Fact]
    public async Task A_refusal_of_one_that_is_gone_refuses_none_before_it()
    {
        var (_, first) = Add(expected: 5);
        _queue.Rebase(Shown);
        var (_, second) = Add(expected: 7);
        _queue.Rebase(Shown);
        Assert.False(await second.Task);
        _queue.Settle(new BatchNumber(2, IsRefused: true));
        Assert.True(await first.Task);
        Assert.Equal(0, _queue.Count);
    }

    private (UpdateGroup Group, Completion<bool> Decision) Add(long expected)
    {
        var decision = new Completion<bool>(CancellationToken.None);
        var group = new UpdateGroup(1, decision) { ExpectedVersion = expected, Base = Raised };
        _queue.Add(["c"], group);
        return (group, decision);
    }
}
