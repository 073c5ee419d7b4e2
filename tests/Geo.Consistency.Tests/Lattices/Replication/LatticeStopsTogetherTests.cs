using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Replicas that stop in an orderly way while others do.</summary>
public sealed class LatticeStopsTogetherTests
{
    private static readonly string[] Names = ["a", "b", "c"];
    private static readonly SimulatedNetworkOptions Steady = new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    };

    [Theory]
    [InlineData(0)]
    [InlineData(0.02)]
    [InlineData(0.2)]
    public void Of_two_holders_that_stop_at_once_all_goes_to_a_cluster_that_has_none(double later) => Run(2, async world =>
    {
        var key = KeyOf(world, "c");
        await world.Count("a", key, 1);
        await world.Delay(2);
        var first = world.StopAsync("a");
        await world.Delay(later);
        var second = world.StopAsync("b");
        Assert.True(await first);
        Assert.True(await second);
        await world.Delay(1);
        world.Start("a");
        world.Start("b");
        await world.Delay(20);
        Assert.Equal(1, world.State<PnCounter>("a", new("counter", key)).Value);
    });

    [Fact]
    public void What_the_other_holder_that_goes_down_has_not_got_goes_to_a_cluster_that_has_none() => Run(2, async world =>
    {
        var key = KeyOf(world, "c");
        await world.Count("a", key, 1);
        await world.Delay(0.01);
        var stop = world.StopAsync("a");
        await world.Delay(0.01);
        world.Crash("b");
        world.Network.Isolate(new("b"));
        Assert.True(await stop);
        await world.Delay(1);
        world.Network.Heal();
        world.Start("a");
        world.Start("b");
        await world.Delay(20);
        Assert.Equal(1, world.State<PnCounter>("a", new("counter", key)).Value);
    });

    [Fact]
    public void The_only_holder_gives_nothing_to_a_cluster_that_stops_and_has_nothing() => Run(1, async world =>
    {
        // The holder's next cluster is told to stop before it, and has nothing of the part to hand over.
        var (key, holder, next) = Only(world);
        await world.Count(holder, key, 1);
        await world.Delay(2);
        await Task.WhenAll(world.Exchanges(next).Select(e => e.LeaveAsync(CancellationToken.None)));
        await world.Delay(0.2);
        Assert.True(await world.StopAsync(holder));
        world.Crash(next);
        await world.Delay(1);
        world.Start(holder);
        world.Start(next);
        await world.Delay(20);
        Assert.Equal(1, world.State<PnCounter>(holder, new("counter", key)).Value);
    });

    [Fact]
    public void Nor_is_a_cluster_passed_over_that_has_begun_anew_since_it_stopped() => Run(1, async world =>
    {
        var (key, holder, next) = Only(world);
        var other = Names.Single(name => name != holder && name != next);
        await world.Count(holder, key, 1);
        foreach (var name in (string[])[holder, next])
        {
            Assert.True(await world.StopAsync(name));
            world.Start(name);
            await world.Delay(10);
        }

        var stops = new[] { world.StopAsync(holder), world.StopAsync(other) };
        Assert.All(await Task.WhenAll(stops), Assert.True);
        world.Start(holder);
        world.Start(other);
        await world.Delay(20);
        Assert.Equal(1, world.State<PnCounter>(holder, new("counter", key)).Value);
    });

    private static (string Key, string Holder, string Next) Only(LatticeWorld world)
    {
        var placement = new LatticePlacement(new("a"), () => world.Clusters);
        var key = Enumerable.Range(0, 64).Select(k => $"{k}").First(k => world.IsHeldIn("a", new("counter", k)));
        var group = LatticeGroup.Of(new("counter", key), 1);
        return (key, "a", placement.MayVisit(group).First().Name);
    }

    private static string KeyOf(LatticeWorld world, string outsider) => Enumerable.Range(0, 64).Select(key => $"{key}")
        .First(key => !world.IsHeldIn(outsider, new("counter", key)));

    private static void Run(int replicas, Func<LatticeWorld, Task> test)
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: replicas);
        world.Run(() => TestAsync(world));

        async Task TestAsync(LatticeWorld here)
        {
            await here.Delay(2);
            await test(here);
        }
    }
}
