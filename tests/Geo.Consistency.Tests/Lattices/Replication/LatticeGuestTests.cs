using Geo.Consistency.Lattices;
using Geo.Consistency.Tests.Lattices.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>
/// A guest, which has a replica because a part was hot in its cluster, counts for nothing, keeps what it has, and is one source. More than
/// 400 lines: every test has a history of its own, and all share how it is made.
/// </summary>
public sealed class LatticeGuestTests
{
    private static readonly string[] Clusters = ["a", "b", "c"];

    [Fact]
    public void It_takes_part_until_those_have_what_it_has_that_have_the_part_anyway()
    {
        Assert.Equal(4, AtHolder(null));
        Assert.Equal(3, AtHolder(LatticeRule.GuestHandsOver));

        // It is not hot any more before the epoch ends in which the guest has made an update.
        static long AtHolder(LatticeRule? off) => Rules.Without(off, () =>
        {
            var world = NewWorld(options: Options(epoch: 10));
            return world.Scheduler.Run(async () =>
            {
                await world.Delay(5);
                var (grain, holder) = Elsewhere(world);
                await CallAsync(world, "a", grain, 3);
                await world.Delay(2);
                Assert.True(world.IsHeldIn("a", grain));
                await CallAsync(world, "a", grain, 1);
                await world.Delay(30);
                Assert.False(Visits(world, "a"));
                return world.State<PnCounter>(holder, grain).Value;
            });
        });
    }

    [Fact]
    public void It_hands_over_after_a_cut_however_long()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            await CallAsync(world, "a", grain, 3);
            await world.Delay(1);
            world.Network.Isolate(new("a"));
            await CallAsync(world, "a", grain, 1);
            await world.Delay(600);
            Assert.False(world.IsHeldIn("a", grain));
            Assert.True(Visits(world, "a"));
            world.Network.Heal();
            await world.Delay(30);
            Assert.False(Visits(world, "a"));
            Assert.Equal(4, world.State<PnCounter>(holder, grain).Value);
        });
    }

    [Fact]
    public void It_keeps_what_a_holder_has_put_aside()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            var other = Enumerable.Range(0, 100_000).Select(i => new GrainKey("counter", $"{i}"))
                .First(g => g != grain && LatticeGroup.PartOf(g) == LatticeGroup.PartOf(grain));
            world.Crash(holder);
            world.OptionsOf[holder] = Options(maxGrains: 1);
            world.Start(holder);
            await world.Delay(5);
            await CallAsync(world, "a", grain, 4);
            await world.Delay(2);
            Assert.True(world.IsHeldIn("a", grain));
            await CallAsync(world, "a", other, 1);
            await world.Delay(30);
            Assert.Contains("put aside", Assert.Single(world.Errors), StringComparison.Ordinal);
            Assert.True(Visits(world, "a"));

            // The holder begins with room for it.
            world.OptionsOf.Clear();
            world.Crash(holder);
            world.Start(holder);
            await world.Delay(30);
            Assert.Equal((4, 1), (world.State<PnCounter>(holder, grain).Value, world.State<PnCounter>(holder, other).Value));
            Assert.False(Visits(world, "a"));
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_all_holders_have_lost_comes_from_a_guest(bool rests)
    {
        Assert.Equal(4, AtHolder(null));
        Assert.Equal(0, AtHolder(LatticeRule.GuestWakes));

        // The only holder crashes, and is back a while later; the part is hot no more before the crash, or after it.
        long AtHolder(LatticeRule? off) => Rules.Without(off, () =>
        {
            var world = NewWorld();
            return world.Scheduler.Run(async () =>
            {
                await world.Delay(5);
                var (grain, holder) = Elsewhere(world);
                await CallAsync(world, "a", grain, 4);
                await world.Delay(2);
                Assert.Equal(4, world.State<PnCounter>("a", grain).Value);
                Assert.True(world.IsHeldIn("a", grain));
                await world.Delay(rests ? 30 : 0);
                Assert.Equal(!rests, Visits(world, "a"));
                world.Crash(holder);
                await world.Delay(20);
                world.Start(holder);
                await world.Delay(30);
                Assert.False(Visits(world, "a"));
                return world.State<PnCounter>(holder, grain).Value;
            });
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_holder_stops_after_it_as_soon_as_without_it(int replicas)
    {
        Assert.Equal(0, TimeOfStop(isHot: false));
        Assert.Equal(0, TimeOfStop(isHot: true));

        double TimeOfStop(bool isHot)
        {
            var world = NewWorld(replicas, replicas == 1 ? Clusters : ["a", "b", "c", "d"]);
            return world.Scheduler.Run(async () =>
            {
                await world.Delay(5);
                var (grain, holder) = Elsewhere(world);
                await CallAsync(world, "a", grain, isHot ? 4 : 1);
                await world.Delay(2);
                Assert.Equal(isHot, world.IsHeldIn("a", grain));
                await world.Delay(13);
                Assert.False(Visits(world, "a"));
                var before = world.Scheduler.Time.GetTimestamp();
                Assert.True(await world.StopAsync(holder, 120));
                return Math.Floor(world.Scheduler.Time.GetElapsedTime(before).TotalSeconds);
            });
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_holder_stops_soon_though_a_guest_has_just_begun_anew(int replicas)
    {
        var world = NewWorld(replicas, replicas == 1 ? Clusters : ["a", "b", "c", "d"]);
        world.Run(async () =>
        {
            var (grain, holder) = await MakeGuestAsync(world);
            world.Crash("a");
            await world.Delay(1);
            world.Start("a");
            await world.Delay(5);
            var before = world.Scheduler.Time.GetTimestamp();
            Assert.True(await world.StopAsync(holder, 120));

            // Three times RetryAfter: the guest of before, which does not answer, is not waited for longer.
            Assert.InRange(world.Scheduler.Time.GetElapsedTime(before).TotalSeconds, 0, 3.5);
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_only_holder_hands_over_to_one_that_has_begun_anew_and_not_to_the_guest_that_it_was_before(bool crashes)
    {
        var world = NewWorld(clusters: ["a", "b"]);
        world.Run(async () =>
        {
            var (grain, holder) = await MakeGuestAsync(world);
            if (crashes)
            {
                world.Crash("a");
            }
            else
            {
                Assert.True(await world.StopAsync("a"));
            }

            await world.Delay(1);
            world.Start("a");
            await world.Delay(5);
            Assert.True(await world.StopAsync(holder));
            await world.Delay(5);
            world.Start(holder);
            await world.Delay(20);
            Assert.Equal(4, world.State<PnCounter>(holder, grain).Value);
        });
    }

    [Theory]
    [InlineData(1, 50)]
    [InlineData(1, 150)]
    [InlineData(2, 150)]
    public void A_holder_stops_soon_though_a_guest_updates_all_the_time(int replicas, int delay)
    {
        var world = NewWorld(replicas, replicas == 1 ? Clusters : ["a", "b", "c", "d"], delay: delay);
        world.Run(async () =>
        {
            var (grain, holder) = await MakeGuestAsync(world);
            var (before, made) = (world.Scheduler.Time.GetTimestamp(), 4);
            var stop = world.StopAsync(holder, 60);
            while (!stop.IsCompleted)
            {
                await CallAsync(world, "a", grain, 1);
                made++;
                await world.Delay(0.03);
            }

            Assert.True(await stop);
            Assert.InRange(world.Scheduler.Time.GetElapsedTime(before).TotalSeconds, 0, 3.5);
            world.Start(holder);
            await world.Delay(20);
            Assert.Equal(made, world.State<PnCounter>(holder, grain).Value);
        });
    }

    [Fact]
    public void A_cluster_that_is_to_have_no_replicas_any_more_takes_none_of_what_is_hot()
    {
        var world = NewWorld(options: Options(leaving: "a"));
        world.Run(async () =>
        {
            await world.Delay(5);
            var grain = Elsewhere(world).Grain;
            await CallAsync(world, "a", grain, 4);
            await world.Delay(2);
            Assert.False(world.IsHeldIn("a", grain));
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_only_holder_loses_nothing_where_it_begins_anew_in_an_orderly_way(bool whileHot)
    {
        for (var number = 0; number < 6; number++)
        {
            var world = NewWorld(seed: number);
            world.Run(async () =>
            {
                await world.Delay(5);
                var (grain, holder) = Elsewhere(world, number);
                await CallAsync(world, "a", grain, 4);
                await world.Delay(whileHot ? 2 : 15);
                Assert.Equal(whileHot, Visits(world, "a"));
                Assert.Equal(4, world.State<PnCounter>(holder, grain).Value);

                // As long as deactivations may take.
                Assert.True(await world.StopAsync(holder, 10));
                await world.Delay(5);
                world.Start(holder);
                await world.Delay(30);
                Assert.Equal(4, world.State<PnCounter>(holder, grain).Value);
            });
        }
    }

    [Fact]
    public void It_is_none_of_the_clusters_in_which_an_update_is_known()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            await CallAsync(world, "a", grain, 4);
            await world.Delay(2);
            world.Network.Isolate(new("a"));
            await CallAsync(world, "a", grain, 1);
            var guest = world.Exchanges("a").Single(e => e.IsVisiting);
            var cell = guest.Node.Data.Cells.Find(grain)!;
            var (one, two) = (guest.KnownInAsync(cell, 1, CancellationToken.None), guest.KnownInAsync(cell, 2, CancellationToken.None));
            await world.Delay(3);
            Assert.False(one.IsCompleted);
            world.Network.Heal();
            await world.Delay(3);
            Assert.Equal((true, false, 1), (one.IsCompletedSuccessfully, two.IsCompleted, guest.Clusters));

            // Nor has a holder to be asked once it rests: all that is here is with all of them.
            await world.Delay(30);
            Assert.False(Visits(world, "a"));
            Assert.True(guest.KnownInAsync(cell, 1, CancellationToken.None).IsCompletedSuccessfully);
            var atHolder = world.Exchanges(holder).First(e => e.Node.Data.Cells.Find(grain) is not null);
            var atBoth = atHolder.KnownInAsync(atHolder.Node.Data.Cells.Find(grain)!, 2, CancellationToken.None);
            await world.Delay(30);
            Assert.Equal((false, 1), (atBoth.IsCompleted, atHolder.Clusters));
        });
    }

    [Fact]
    public void However_often_a_grain_is_hot_its_clocks_do_not_grow()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            var sources = 0;
            for (var round = 1; round <= 20; round++)
            {
                await CallAsync(world, "a", grain, 4);
                await world.Delay(1);
                await CallAsync(world, "a", grain, 1);
                await world.Delay(70);
                Assert.False(Visits(world, "a"));
                Assert.Equal((5 * round, 5 * round), (world.State<PnCounter>(holder, grain).Value, OwnState(world, "a", grain).Value));
                var now = world.Exchanges(holder).Max(e => e.Node.Data.Applied.Sources.Count());
                Assert.True(round == 1 || now == sources, $"{now} sources in round {round}");
                sources = now;
            }
        });
    }

    [Fact]
    public void One_that_rests_hears_of_nothing_and_shows_all_when_it_is_hot_again()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            await CallAsync(world, "a", grain, 4);
            await world.Delay(30);
            Assert.False(Visits(world, "a"));
            var sent = world.BytesSent;
            await world.Count(holder, grain.Key, 100);
            await world.Delay(300);
            Assert.Equal((sent, 4), (world.BytesSent, OwnState(world, "a", grain).Value));
            await CallAsync(world, "a", grain, 3);
            await world.Delay(1);
            Assert.True(world.IsHeldIn("a", grain));
            Assert.Equal(107, world.State<PnCounter>("a", grain).Value);
        });
    }

    [Fact]
    public void One_that_cannot_reach_a_holder_does_not_show_what_another_guest_has()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            var guest = holder == "b" ? "c" : "b";
            await CallAsync(world, guest, grain, 4);
            await world.Delay(2);
            Assert.True(world.IsHeldIn(guest, grain));
            Cut(guest, holder);
            await world.Count("a", grain.Key, 10);
            await world.Count("a", grain.Key, 10);
            Assert.Equal(24, world.State<PnCounter>("a", grain).Value);
            Cut("a", holder);
            for (var second = 0; second < 120; second++)
            {
                // Both are hot all the time.
                await world.Delay(1);
                await CallAsync(world, guest, grain, 1);
                await CallAsync(world, "a", grain, 1);
                Assert.False(world.IsHeldIn("a", grain));
            }

            void Cut(string one, string other)
            {
                world.Network.Cut(new(one), new(other));
                world.Network.Cut(new(other), new(one));
            }
        });
    }

    [Fact]
    public void Who_stops_does_not_rest_before_it_knows_that_all_have_heard()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await MakeGuestAsync(world);
            var guest = Assert.Single(world.Exchanges("a"), e => e.IsVisiting);
            guest.Run(() => guest.Node.Leave(TimeSpan.Zero));
            await world.Delay(120);
            Assert.Equal((false, true), (guest.ServesAsGuest, guest.IsVisiting));
        });
    }

    /// <summary>Has cluster a call a grain of another one until it holds a replica, too.</summary>
    private static async Task<(GrainKey Grain, string Holder)> MakeGuestAsync(LatticeWorld world)
    {
        await world.Delay(5);
        var found = Elsewhere(world);
        await CallAsync(world, "a", found.Grain, 4);
        await world.Delay(2);
        Assert.True(world.IsHeldIn("a", found.Grain));
        return found;
    }

    private static async Task CallAsync(LatticeWorld world, string cluster, GrainKey grain, int times)
    {
        for (var i = 0; i < times; i++)
        {
            await world.Count(cluster, grain.Key, 1);
        }
    }

    private static bool Visits(LatticeWorld world, string cluster) => world.Exchanges(cluster).Any(e => e.IsVisiting);

    private static PnCounter OwnState(LatticeWorld world, string cluster, GrainKey grain) =>
        world.Exchanges(cluster).Select(e => e.Node.Data.Cells.Find(grain)).OfType<LatticeCell<PnCounter>>().Single().State;

    private static LatticeWorld NewWorld(
        int replicas = 1, string[]? clusters = null, int seed = 1, LatticeOptions? options = null, int delay = 50) =>
        new(seed, clusters ?? Clusters, new() { MinDelay = TimeSpan.FromMilliseconds(delay), MaxDelay = TimeSpan.FromMilliseconds(delay) },
            options ?? Options(), replicas: replicas);

    // Hot by the third call within three seconds.
    private static LatticeOptions Options(int maxGrains = 1000, double epoch = 0.1, string? leaving = null) => new()
    {
        HotRate = 1,
        HotFor = TimeSpan.FromSeconds(4),
        StatusInterval = TimeSpan.FromSeconds(10),
        CollectInterval = TimeSpan.FromMilliseconds(200),
        Epoch = TimeSpan.FromSeconds(epoch),
        MaxGrains = maxGrains,
        LeavingClusters = leaving is null ? [] : [leaving],
    };

    /// <summary>A grain that b or c has a replica of, and a has not.</summary>
    private static (GrainKey Grain, string Holder) Elsewhere(LatticeWorld world, int number = 0)
    {
        var grain = Enumerable.Range(0, 100).Select(i => new GrainKey("counter", $"{i}")).Where(g => !world.IsHeldIn("a", g))
            .ElementAt(number);
        return (grain, world.ServerOf("a", grain));
    }
}
