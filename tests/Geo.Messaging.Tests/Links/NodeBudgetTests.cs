namespace Geo.Messaging.Tests;

public sealed class NodeBudgetTests
{
    [Fact]
    public void A_peer_may_hold_as_much_as_is_free_so_that_the_next_finds_some()
    {
        var budget = new NodeBudget(1000);
        var (one, other, third) = (budget.NewShare(new()), budget.NewShare(new()), budget.NewShare(new()));

        Assert.True(one.TryTake(500));
        Assert.False(one.TryTake(1));
        Assert.True(other.TryTake(250));
        Assert.False(other.TryTake(1));
        Assert.True(third.TryTake(125));

        one.Return(500);
        Assert.True(other.TryTake(100));
        Assert.Equal(475, budget.Held);
    }

    [Fact]
    public void The_last_one_goes_to_who_has_none()
    {
        var connections = new NodeBudget(2);
        var (one, other, third) = (connections.NewShare(new()), connections.NewShare(new()), connections.NewShare(new()));

        Assert.True(one.TryTake(1));
        Assert.False(one.TryTake(1));
        Assert.True(other.TryTake(1));
        Assert.False(third.TryTake(1));
    }

    [Fact]
    public void Who_gives_back_as_much_as_it_takes_needs_nothing_beside_unless_it_begins_again_and_again_before_it_has_given_back()
    {
        var connections = new NodeBudget(20);
        var (one, other, third) = (connections.NewShare(new()), connections.NewShare(new()), connections.NewShare(new()));
        Assert.True(one.TryTake(4));
        Assert.True(other.TryTake(8));
        Assert.True(third.TryTake(4));
        Assert.False(one.TryTake(1));

        Assert.True(one.TryTake(4, credit: 4));
        Assert.True(one.TryTake(4, credit: 4));
        Assert.False(one.TryTake(4, credit: 4));
        one.Return(8);
        Assert.True(one.TryTake(4, credit: 4));

        one.Return(4);
        Assert.False(one.TryTake(5, credit: 4));
        Assert.Equal(16, connections.Held);
    }

    [Fact]
    public void Nobody_takes_more_than_half_of_what_is_free_at_once()
    {
        var connections = new NodeBudget(1024);
        var taken = Enumerable.Range(0, 20).Count(_ => connections.NewShare(new()).TryTake(256));

        Assert.Equal(3, taken);
        Assert.True(connections.NewShare(new()).TryTake(64));
    }

    [Fact]
    public void Idle_lanes_keep_nothing_however_many_they_are()
    {
        var budget = new NodeBudget(1024 * 1024);
        var share = budget.NewShare(new());
        for (var i = 0; i < 1000; i++)
        {
            var lane = new LaneShare(share);
            Assert.True(lane.TryTake(100));
            lane.Return(100);
        }

        Assert.Equal(0, budget.Held);
    }

    [Fact]
    public void A_lane_takes_some_at_a_time_and_gives_all_back_when_it_has_ended()
    {
        var budget = new NodeBudget(1024 * 1024);
        var share = budget.NewShare(new());
        var (lane, other) = (new LaneShare(share), new LaneShare(share));

        Assert.True(lane.TryTake(100));
        Assert.Equal(16 * 1024, budget.Held);
        for (var i = 0; i < 100; i++)
        {
            Assert.True(lane.TryTake(1000));
        }

        Assert.InRange(budget.Held, 100_100, 120_000);
        lane.Return(100_000);
        Assert.InRange(budget.Held, 100, 32 * 1024);
        Assert.True(other.TryTake(500_000));
        Assert.False(other.TryTake(500_000));
        lane.Close();
        lane.Return(100);
        other.Return(500_000);
        other.Close();
        Assert.Equal(0, budget.Held);
    }
}
