using Geo.Directory.Tests.Silos;
using Geo.Testing;

namespace Geo.Directory.Tests.Calls;

public sealed class ClusterReachTests
{
    private static readonly ClusterId Us = new("us");
    private static readonly CallFollowingLimits Limits = new(MaxAttempts: 8, UnreachableAfter: TimeSpan.FromSeconds(1));

    [Theory]
    [InlineData(SingleInstanceMode.Pessimistic)]
    [InlineData(SingleInstanceMode.Optimistic)]
    public void A_call_that_a_link_takes_with_it_is_out_of_reach_in_the_same_instant(SingleInstanceMode mode)
    {
        var links = new OwnLinks(new ClusterId("eu"));
        using var reach = new ClusterReach(links, [], new SimulationScheduler().Time);
        links.Linked.Add(Us);
        Assert.Equal(CallEventKind.Refused, Happens());

        // It is open no more before its end is told.
        links.Linked.Clear();
        Assert.Equal(CallEventKind.OutOfReach, Happens());
        links.Raise(Us, isUp: false);
        Assert.Equal(CallEventKind.OutOfReach, Happens());

        CallEventKind Happens() => CallFollowing.OnUndelivered(mode, hasLeft: false, reach.DownFor(Us), Limits);
    }
}
