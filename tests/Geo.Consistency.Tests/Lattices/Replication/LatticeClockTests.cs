using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>
/// Clocks that are, or were, further ahead than MaxClockAhead: nobody is silenced, no other clock is moved, and who has seen a write wins.
/// </summary>
public sealed class LatticeClockTests
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    [Fact]
    public void A_row_that_was_written_while_the_clock_was_wrong_silences_nobody_once_it_is_right() => Run(isStored: true, async world =>
    {
        await world.Write("a", "1", "old");
        await world.Count("a", "likes", 1);
        await world.Delay(3);
        Repair(world);
        await world.Delay(5);
        await world.Count("a", "likes", 1);
        await world.Write("a", "2", "new");
        await world.Delay(5);
        Assert.Equal(2, world.State<PnCounter>("b", new("counter", "likes")).Value);
        Assert.Equal("old", Register(world, "b", "1").Value);
        Assert.Equal("new", Register(world, "b", "2").Value);
        Assert.InRange(Register(world, "b", "2").Stamp.Milliseconds, 0, Now(world));
    });

    [Fact]
    public void Who_has_seen_a_write_of_a_clock_that_is_ahead_wins_over_it_and_his_own_clock_stays_right() =>
        Run(isStored: false, async world =>
        {
            await world.Write("a", "1", "old");
            await world.Delay(1);
            Assert.Equal("old", Register(world, "b", "1").Value);
            await world.Write("b", "1", "new");
            await world.Write("b", "1", "newest");
            await world.Write("b", "2", "other");
            await world.Delay(1);
            Assert.All(world.Live, name => Assert.Equal("newest", Register(world, name, "1").Value));
            Assert.InRange(Register(world, "a", "2").Stamp.Milliseconds, 0, Now(world));
            Assert.InRange(world["b"].Node.Data.Clock.Latest.Milliseconds, 0, Now(world));
        });

    [Fact]
    public void What_a_clock_that_is_ahead_wrote_does_not_hold_up_what_its_cluster_does_after_it_is_right() =>
        Run(isStored: false, async world =>
        {
            world.Network.Isolate(new("a"));
            await world.Write("a", "1", "old");
            await world.Count("a", "likes", 1);
            await world.Delay(1);
            world.Network.Heal();
            await world.Delay(1);
            Assert.Equal(1, world.State<PnCounter>("b", new("counter", "likes")).Value);
            Assert.Empty(world["a"].Lags());
            Repair(world);
            await world.Delay(5);
            await world.Write("a", "1", "new");
            await world.Delay(1);
            Assert.All(world.Live, name => Assert.Equal("new", Register(world, name, "1").Value));
        });

    private static void Repair(LatticeWorld world)
    {
        world.Crash("a");
        world.AheadOf.Clear();
        world.Start("a");
    }

    private static LwwRegister<string> Register(LatticeWorld world, string cluster, string key) =>
        world.State<LwwRegister<string>>(cluster, new("register", key));

    private static long Now(LatticeWorld world) => world.Scheduler.Time.GetUtcNow().ToUnixTimeMilliseconds();

    private static void Run(bool isStored, Func<LatticeWorld, Task> test)
    {
        var world = new LatticeWorld(
            1, ["a", "b"], new() { MinDelay = TimeSpan.FromMilliseconds(50), MaxDelay = TimeSpan.FromMilliseconds(50) },
            isStored: isStored);
        world.Crash("a");
        world.AheadOf["a"] = Hour;
        world.Start("a");
        world.Run(async () =>
        {
            await world.Delay(1);
            await test(world);
        });
    }
}
