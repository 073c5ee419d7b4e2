using System.Diagnostics;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Homes;

/// <summary>What moves to homes do to what was in order: to calls that wait, to rows nobody calls, while others do not answer.</summary>
public sealed class HomeMoveTests(ITestOutputHelper output)
{
    private static readonly GrainKey Grain = World.Grain;
    private static readonly ClusterId Us = new("us"), Eu = new("eu");

    private static GrainDeclaration InEu(SingleInstanceMode mode) =>
        new(Instancing.GlobalSingle, mode, ViewProtocol.None, null, default) { Home = new(HomePolicy.PreferredCluster, Eu) };

    [Fact]
    public void A_grain_that_went_home_and_is_called_no_more_leaves_no_row_there()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[2].CallAsync(Grain);
            Assert.True(await silos[2].Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "Its home is back."));
            await world.PassAsync(TimeSpan.FromHours(2));
            Assert.Equal(GsiState.Invalid, silos[1].Entry(Grain).State);
        });
    }

    [Fact]
    public void Grains_called_once_that_went_home_leave_room_for_others_there()
    {
        var world = new World(1, "asia", "eu", "us") { Options = new() { MaxHeldRows = 20 } };
        World.Run(world, async silos =>
        {
            for (var i = 0; i < 20; i++)
            {
                var key = new GrainKey("order", $"{i}");
                await silos[2].CallAsync(key);
                Assert.True(await silos[2].Directory.Administration.MoveAsync(key, silos[1].Cluster, "Its home is back."));
            }

            await world.PassAsync(TimeSpan.FromHours(2));
            Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(new("order", "new"))).Kind);
        });
    }

    [Theory]
    [InlineData(SingleInstanceMode.Pessimistic)]
    [InlineData(SingleInstanceMode.Optimistic)]
    public void A_grain_that_is_owned_and_served_is_served_and_owned_after_its_home_wanted_it(SingleInstanceMode mode)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var us = silos[2];
            await us.CallAsync(Grain, mode);

            // Asia is linked, and the store of its directory does not answer.
            silos[0].Rows.Fault = _ => StoreFault.UnknownWithoutEffect;
            await world.PassAsync(30);
            Assert.Equal(PlacementKind.Here, (await us.CallAsync(Grain, mode)).Kind);
            await us.Lane.RunAsync(async () =>
            {
                var keeper = new HomeKeeper(
                    us.Messenger, () => us.Directory.Configuration, () => us.Directory.Administration, world.Options,
                    us.Directory.Metrics, world.Time, NullLogger.Instance);
                keeper.Start(new(us.Directory, null));
                keeper.Begins(Grain, InEu(mode), null);
                await world.PassAsync(6);
                await keeper.DisposeAsync();
            });

            var failed = 0;
            for (var i = 0; i < 20; i++)
            {
                try
                {
                    await us.CallAsync(Grain, mode);
                }
                catch (GeoUnavailableException)
                {
                    failed++;
                }

                await world.PassAsync(30);
            }

            output.WriteLine($"{failed} of 20 calls in 10 minutes failed; us {us.Entry(Grain).State}, eu {silos[1].Entry(Grain).State}");
            Assert.Equal(0, failed);
            Assert.Contains(silos, s => s.Entry(Grain).State == GsiState.Owned);
        });
    }

    [Fact]
    public void Quorum_grains_that_went_home_and_are_called_no_more_are_nobodys_there()
    {
        var world = new Quorum.QuorumDirectoryWorld();
        world.Scheduler.Run(async () =>
        {
            var (us, eu, _) = (
                world.Start(Quorum.QuorumDirectoryWorld.Us), world.Start(Quorum.QuorumDirectoryWorld.Eu),
                world.Start(Quorum.QuorumDirectoryWorld.Asia));
            await Task.Delay(TimeSpan.FromSeconds(1), world.Scheduler.Time);
            var key = new GrainKey("order", "1");
            await world.AnsweredAsync(us, key, TimeSpan.FromSeconds(1));
            Assert.True(await us.Lane.RunAsync(() => us.Directory.Administration.MoveAsync(key, eu.Cluster, "home").AsTask()));
            await Task.Delay(TimeSpan.FromMinutes(3), world.Scheduler.Time);
            Assert.Null(await eu.Lane.RunAsync(() => eu.Directory.Administration.InspectAsync(key).AsTask()));
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    public void Calls_that_wait_for_a_grain_on_its_way_share_the_looks_at_its_row(int calls)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var us = silos[2];
            await us.CallAsync(Grain);
            var moving = us.Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "the test says so").AsTask();
            while (!us.Entry(Grain).IsYielding)
            {
                await world.PassAsync(0.001);
            }

            var (before, at) = (us.Rows.Reads, world.Time.Elapsed);
            await Task.WhenAll(Enumerable.Range(0, calls).Select(_ => us.Directory.FindHereAsync(Grain).AsTask()));
            output.WriteLine($"{calls} calls waited {(world.Time.Elapsed - at).TotalMilliseconds} ms: {us.Rows.Reads - before} reads");
            Assert.True(await moving);
            Assert.InRange(us.Rows.Reads - before, 1, 100 + (2 * calls));
        });
    }

    [Fact]
    public void A_look_at_a_hundred_thousand_grains_whose_home_is_back_allocates_next_to_nothing()
    {
        var scheduler = new SimulationScheduler();
        scheduler.Run(async () =>
        {
            var network = new SimulatedNetwork(scheduler, new ChoiceTape("network", new Random(1)));
            network.Join(Eu, scheduler.CreateLane("eu"));
            var messenger = network.Join(Us, scheduler.CreateLane("us"));
            var options = new GlobalDirectoryOptions();
            var directory = new GlobalDirectory(
                options, messenger, new InMemoryConditionalStore(), new(1, [Us, Eu]), new NoInstances(), scheduler.Time, new Random(1),
                NullLogger<GlobalDirectory>.Instance);
            var moves = new Moves(scheduler.Time);
            var keeper = new HomeKeeper(
                messenger, () => directory.Configuration, () => moves, options, directory.Metrics, scheduler.Time, NullLogger.Instance);
            moves.Keeper = keeper;
            keeper.Start(new(directory, null));
            for (var i = 0; i < 100_000; i++)
            {
                keeper.Begins(new("Webshop.Carts.Cart", $"customer-{i:000000}"), InEu(default), null);
            }

            await Task.Delay(TimeSpan.FromSeconds(1.1), scheduler.Time);
            var (bytes, started, looks) = (GC.GetAllocatedBytesForCurrentThread(), Stopwatch.GetTimestamp(), 4);
            await Task.Delay(TimeSpan.FromSeconds(0.5 * looks), scheduler.Time);
            var megabytes = (GC.GetAllocatedBytesForCurrentThread() - bytes) / looks / 1e6;
            output.WriteLine(
                $"a look: {Stopwatch.GetElapsedTime(started).TotalMilliseconds / looks:0} ms, {megabytes:0.0} MB; {moves.Count} moved");
            Assert.InRange(megabytes, 0, 5);
            Assert.True(moves.Count >= 4 * options.MaxHomeMoves, $"{moves.Count} moved");
            await keeper.DisposeAsync();
            await directory.DisposeAsync();
        });
    }

    [Fact]
    public void A_row_that_a_crashed_operators_silo_left_on_its_way_does_not_keep_its_cluster_from_serving()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var us = silos[2];
            var sibling = world.AddSilo(us.Cluster, "us/2");
            await World.StartAsync(sibling);
            await us.CallAsync(Grain);
            sibling.Deactivating = async key =>
            {
                world.Network.Options.RefusedWhenCut = 0;
                world.Network.Isolate(silos[1].Cluster);
                us.Instances.Remove(key);
                await us.Directory.ReleaseAsync(key, us.Node);
            };
            _ = sibling.Lane.RunAsync(
                () => sibling.Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "the test says so").AsTask());
            while (!us.Entry(Grain).IsYielding)
            {
                await world.PassAsync(0.001);
                Assert.True(world.Time.Elapsed < TimeSpan.FromSeconds(20), "it is not on its way");
            }

            world.Crash(sibling);
            var started = world.Time.Elapsed;
            var failed = 0;
            while (true)
            {
                try
                {
                    await us.CallAsync(Grain);
                    break;
                }
                catch (GeoUnavailableException e)
                {
                    if (failed++ == 0)
                    {
                        output.WriteLine(e.Message);
                    }
                }

                await world.PassAsync(1);
                Assert.True(world.Time.Elapsed - started < TimeSpan.FromMinutes(30), "30 minutes");
            }

            output.WriteLine($"{failed} calls failed, served after {(world.Time.Elapsed - started).TotalSeconds:0.0} s");
            Assert.InRange(world.Time.Elapsed - started, TimeSpan.Zero, TimeSpan.FromSeconds(20));
        });
    }

    [Theory]
    [InlineData(2)]
    [InlineData(10)]
    [InlineData(50)]
    [InlineData(1000)]
    public void Called_evenly_from_two_clusters_a_grain_stays(int callsASecond)
    {
        var random = new Random(1);
        var moved = 0;
        const int grains = 2000;
        for (var grain = 0; grain < grains; grain++)
        {
            var counts = new CallerCounts(new CallerSlots(Us));
            var room = new CallerCount[CallerSlots.Most];
            var state = default(HomeState);
            for (var look = 0; look < 1200; look++)
            {
                var due = (callsASecond / 2.0) + random.NextDouble() - 0.5;
                for (var call = 0; call < Math.Round(due); call++)
                {
                    counts.Note(random.Next(2) == 0 ? default : Eu);
                }

                (state, var to) = HomeRules.Look(
                    state, new(HomePolicy.FollowsCallers, default), Us, counts.Read(room), _ => true, TimeSpan.FromSeconds(look / 2.0));
                counts.Fade();
                if (!to.IsNone)
                {
                    moved++;
                    break;
                }
            }
        }

        output.WriteLine($"{callsASecond} calls a second: {moved} of {grains} grains moved within 10 minutes");
        Assert.InRange(moved, 0, grains / 100);
    }

    private sealed class Moves(TimeProvider time) : IGeoAdministration
    {
        public HomeKeeper? Keeper { get; set; }

        public int Count { get; private set; }

        public ClusterId Cluster => Us;

        public ValueTask<DirectoryPage> ListAsync(DirectoryQuery query, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<DirectoryRow?> InspectAsync(GrainKey key, CancellationToken cancellationToken = default) =>
            new(new DirectoryRow(key, new GsiEntry { State = GsiState.Owned, Node = "us/1" }, NodeState.Living));

        public ValueTask<bool> ResolveAsync(GrainKey key, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<bool> ReleaseAsync(GrainKey key, string reason, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public async ValueTask<bool> MoveAsync(
            GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(100), time, cancellationToken);
            Keeper!.Ended(key);
            Count++;
            return true;
        }
    }
}
