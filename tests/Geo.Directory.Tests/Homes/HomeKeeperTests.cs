using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Homes;

/// <summary>What bounds the moves to homes, whatever comes of them.</summary>
public sealed class HomeKeeperTests
{
    private static readonly ClusterId Us = new("us"), Eu = new("eu");

    private static readonly GrainDeclaration InEu =
        new(Instancing.GlobalSingle, default, ViewProtocol.None, null, default) { Home = new(HomePolicy.PreferredCluster, Eu) };

    [Fact]
    public void No_more_grains_move_at_a_time_than_may_and_the_others_come_after_them() => Run(
        new() { MaxHomeMoves = 3 }, async (keeper, moving, time) =>
        {
            foreach (var key in Keys(10))
            {
                keeper.Begins(key, InEu, null);
            }

            for (var ended = 0; ended < 10; ended += 3)
            {
                await Task.Delay(TimeSpan.FromSeconds(5), time);
                Assert.Equal(Math.Min(3, 10 - ended), moving.Count);
                foreach (var move in moving.ToArray())
                {
                    move.SetResult(true);
                }

                moving.Clear();
            }
        });

    [Fact]
    public void Grains_beyond_the_limit_stay() => Run(new() { MaxHomedGrains = 2 }, (keeper, _, _) =>
    {
        Assert.All(Keys(2), key => Assert.NotNull(keeper.Begins(key, InEu, null)));
        Assert.Null(keeper.Begins(new("grain", "beyond"), InEu, null));
        keeper.Ended(Keys(1).Single());
        Assert.NotNull(keeper.Begins(new("grain", "beyond"), InEu, null));
        return Task.CompletedTask;
    });

    [Fact]
    public void A_late_end_of_an_instance_leaves_the_next_one() => Run(new(), (keeper, _, _) =>
    {
        var key = Keys(1).Single();
        var first = keeper.Begins(key, InEu, null)!;
        keeper.Begins(key, InEu, null);
        keeper.Ended(first);
        Assert.Equal(1, keeper.Count);
        return Task.CompletedTask;
    });

    [Fact]
    public void A_move_that_fails_is_tried_again_after_a_minute_and_holds_up_no_other() => Run(
        new() { MaxHomeMoves = 1 }, async (keeper, moving, time) =>
        {
            keeper.Begins(new("grain", "1"), InEu, null);
            await Task.Delay(TimeSpan.FromSeconds(2), time);
            Assert.Single(moving).SetException(new GeoUnavailableException("the test says so"));
            moving.Clear();
            keeper.Begins(new("grain", "2"), InEu, null);
            await Task.Delay(TimeSpan.FromSeconds(50), time);
            Assert.Single(moving).SetResult(false);
            moving.Clear();
            await Task.Delay(TimeSpan.FromSeconds(15), time);
            Assert.Single(moving).SetResult(true);
        });

    [Fact]
    public void A_move_that_keeps_failing_is_tried_less_and_less_often() => Run(new(), async (keeper, moving, time) =>
    {
        var key = new GrainKey("grain", "1");
        var tries = new List<TimeSpan>();
        var started = time.GetTimestamp();
        while (time.GetElapsedTime(started) is var now && now < TimeSpan.FromHours(6))
        {
            // Its next call has it begin here again.
            keeper.Begins(key, InEu, null);
            await Task.Delay(TimeSpan.FromSeconds(10), time);
            if (moving.Count == 1)
            {
                tries.Add(now);
                moving.Single().SetResult(false);
                moving.Clear();
            }
        }

        Assert.Equal(
            [1, 2, 4, 8, 16, 32, 64, 64, 64, 64],
            tries.Zip(tries.Skip(1), (first, second) => (int)Math.Round((second - first).TotalMinutes, MidpointRounding.ToZero)));
    });

    [Fact]
    public void A_grain_in_doubt_moves_soon_after_it_is_owned_and_one_without_a_row_is_forgotten()
    {
        var (state, isHere) = (GsiState.Doubtful, true);
        Run(
            new(), async (keeper, moving, time) =>
            {
                keeper.Begins(new("grain", "1"), InEu, null);
                await Task.Delay(TimeSpan.FromSeconds(10), time);
                Assert.Empty(moving);
                state = GsiState.Owned;
                await Task.Delay(TimeSpan.FromSeconds(3), time);
                Assert.Single(moving).SetResult(true);
                isHere = false;
                await Task.Delay(TimeSpan.FromMinutes(2), time);
                Assert.Equal(0, keeper.Count);
            },
            () => isHere ? new GsiEntry { State = state, Node = "us/1" } : null);
    }

    private static IEnumerable<GrainKey> Keys(int count) => Enumerable.Range(0, count).Select(i => new GrainKey("grain", $"{i}"));

    private static void Run(
        GlobalDirectoryOptions options, Func<HomeKeeper, List<TaskCompletionSource<bool>>, TimeProvider, Task> test,
        Func<GsiEntry?>? row = null)
    {
        var scheduler = new SimulationScheduler();
        scheduler.Run(async () =>
        {
            var network = new SimulatedNetwork(scheduler, new ChoiceTape("network", new Random(1)));
            network.Join(Eu, scheduler.CreateLane("eu"));
            var messenger = network.Join(Us, scheduler.CreateLane("us"));
            var directory = new GlobalDirectory(
                options, messenger, new InMemoryConditionalStore(), new(1, [Us, Eu]), new NoInstances(), scheduler.Time, new Random(1),
                NullLogger<GlobalDirectory>.Instance);
            var moving = new List<TaskCompletionSource<bool>>();
            var moves = new Moves(moving, row ?? (() => new() { State = GsiState.Owned, Node = "us/1" }));
            var keeper = new HomeKeeper(
                messenger, () => directory.Configuration, () => moves, options, directory.Metrics, scheduler.Time, NullLogger.Instance);
            keeper.Start(new(directory, null));
            await test(keeper, moving, scheduler.Time);
            foreach (var move in moving)
            {
                move.TrySetResult(false);
            }

            await keeper.DisposeAsync();
            await directory.DisposeAsync();
        });
    }

    /// <summary>Every grain has the same row, and moves when the test says so.</summary>
    private sealed class Moves(List<TaskCompletionSource<bool>> moving, Func<GsiEntry?> row) : IGeoAdministration
    {
        public ClusterId Cluster => Us;

        public ValueTask<DirectoryPage> ListAsync(DirectoryQuery query, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<DirectoryRow?> InspectAsync(GrainKey key, CancellationToken cancellationToken = default) =>
            new(row() is { } entry ? new DirectoryRow(key, entry, NodeState.Living) : null);

        public ValueTask<bool> ResolveAsync(GrainKey key, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<bool> ReleaseAsync(GrainKey key, string reason, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public ValueTask<bool> MoveAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default)
        {
            var move = new TaskCompletionSource<bool>();
            moving.Add(move);
            return new(move.Task);
        }
    }
}
