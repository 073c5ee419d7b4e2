namespace Geo.Directory.Tests;

/// <summary>What a silo's directory remembers of what it did, at each of its transitions.</summary>
public sealed class MoveJournalTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void A_grain_that_is_called_and_ends_was_acquired_and_released_and_calls_in_between_write_nothing()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var began = world.Time.GetUtcNow();
            await silos[0].CallAsync(Grain);
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);
            await world.PassAsync(1);
            await silos[0].EndAsync(Grain);

            var moves = Of(silos[0]);
            Assert.Equal([MoveKind.Released, MoveKind.Acquired], moves.Select(move => move.Kind));
            Assert.Equal((Here(silos[0]), default), (moves[0].From, moves[0].To));
            Assert.Equal((default, Here(silos[0])), (moves[1].From, moves[1].To));
            Assert.Equal(began + World.RoundTrip, moves[1].At);
            Assert.Empty(Of(silos[1]));
        });
    }

    [Fact]
    public void A_grain_that_an_operator_moves_or_releases_says_why()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);
            Assert.True(await silos[1].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "less load"));
            Assert.True(await silos[0].Directory.Administration.ReleaseAsync(Grain, "no more"));

            var (from, to) = (Of(silos[1]), Of(silos[0]));
            Assert.Equal([MoveKind.MovedAway, MoveKind.Acquired], from.Select(move => move.Kind));
            Assert.Equal((Here(silos[1]), new(silos[0].Cluster, null), "less load"), (from[0].From, from[0].To, from[0].Why));
            Assert.Equal([MoveKind.Released, MoveKind.Acquired], to.Select(move => move.Kind));
            Assert.Equal("no more", to[0].Why);

            // It left before it came.
            Assert.True(from[0].At < to[1].At);
        });
    }

    [Fact]
    public void A_move_that_nobody_takes_was_a_release()
    {
        var world = new World { Options = new() { RequestTimeout = TimeSpan.FromMilliseconds(200) } };
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            silos[0].Deactivating = async key =>
            {
                world.Network.Isolate(silos[1].Cluster);
                silos[0].Instances.Remove(key);
                await silos[0].Directory.ReleaseAsync(key, silos[0].Node);
            };

            Assert.False(await silos[0].Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "less load"));

            var move = Of(silos[0])[0];
            Assert.Equal((MoveKind.Released, default), (move.Kind, move.To));
            Assert.Equal($"less load (to '{silos[1].Cluster}', which did not say that it has taken it)", move.Why);
        });
    }

    [Fact]
    public void What_a_lost_silo_had_was_taken_over_from_it()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddAsync(world, silos[0]);
            await second.CallAsync(Grain);
            world.Crash(second);
            await silos[0].CallAsync(Grain);

            var move = Assert.Single(Of(silos[0]));
            Assert.Equal((MoveKind.TakenOver, Here(second), Here(silos[0])), (move.Kind, move.From, move.To));
        });
    }

    [Fact]
    public void What_a_lost_silo_had_and_nobody_called_was_released()
    {
        var world = new World { Options = new() { GoneRowRetention = TimeSpan.Zero } };
        World.Run(world, async silos =>
        {
            var second = await AddAsync(world, silos[0]);
            await second.CallAsync(Grain);
            world.Crash(second);
            await silos[0].Directory.ResolveDoubtfulAsync(TestContext.Current.CancellationToken);
            Assert.Empty(Of(silos[0]));
            await world.PassAsync(1);
            await silos[0].Directory.ResolveDoubtfulAsync(TestContext.Current.CancellationToken);

            var move = Assert.Single(Of(silos[0]));
            Assert.Equal((MoveKind.Released, Here(second), default), (move.Kind, move.From, move.To));
        });
    }

    [Fact]
    public void A_row_that_could_not_be_released_names_its_silo_already_when_that_acquires_the_grain_again()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            silos[0].Rows.WriteFault = state => state == GsiState.Invalid ? StoreFault.UnknownWithoutEffect : StoreFault.None;
            await silos[0].EndAsync(Grain);
            silos[0].Rows.WriteFault = _ => StoreFault.None;
            await silos[0].CallAsync(Grain);

            var moves = Of(silos[0]);
            Assert.Equal([MoveKind.Acquired, MoveKind.Acquired], moves.Select(move => move.Kind));
            Assert.Equal((Here(silos[0]), Here(silos[0])), (moves[0].From, moves[0].To));
            Assert.NotEqual(moves[0].Why, moves[1].Why);
        });
    }

    [Fact]
    public void An_instance_that_moves_within_its_cluster_migrated()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddAsync(world, silos[0]);
            await silos[0].CallAsync(Grain);
            silos[0].Instances.Remove(Grain);
            await second.Directory.MoveAsync(
                Grain, silos[0].Node, second.Node, cancellationToken: TestContext.Current.CancellationToken);

            var move = Assert.Single(Of(second));
            Assert.Equal((MoveKind.Migrated, Here(silos[0]), Here(second)), (move.Kind, move.From, move.To));
        });
    }

    [Fact]
    public void Both_sides_of_a_partition_begin_in_doubt_and_one_is_resolved_while_the_other_gives_way()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(silos.Select(silo => silo.CallAsync(Grain)));
            world.Network.Heal();
            await world.PassAsync(3);

            var owner = Assert.Single(silos, silo => silo.Entry(Grain).State == GsiState.Owned);
            var other = Assert.Single(silos, silo => silo != owner);
            Assert.Equal([MoveKind.Resolved, MoveKind.BecameDoubtful], Of(owner).Select(move => move.Kind));
            Assert.Contains($"cluster '{other.Cluster}' does not answer", Of(owner)[1].Why, StringComparison.Ordinal);
            Assert.Equal([MoveKind.GaveWay, MoveKind.BecameDoubtful], Of(other).Select(move => move.Kind));
            Assert.Equal(Here(owner), Of(other)[0].To);
        });
    }

    [Fact]
    public void As_many_are_remembered_as_the_options_say()
    {
        var world = new World { Options = new() { JournalSize = 5 } };
        World.Run(world, async silos =>
        {
            for (var i = 0; i < 8; i++)
            {
                await silos[0].CallAsync(new GrainKey("cart", $"{i}"));
            }

            Assert.Equal(["7", "6", "5", "4", "3"], silos[0].Directory.Moves.Newest(100, key: null).Select(move => move.Key.Key));
            Assert.Equal(3, silos[0].Directory.Moves.Forgotten);
        });
    }

    private static async Task<Silo> AddAsync(World world, Silo first)
    {
        var second = world.AddSilo(first.Cluster, $"{first.Cluster}/2");
        await World.StartAsync(second);
        return second;
    }

    private static IReadOnlyList<GrainMove> Of(Silo silo) => silo.Directory.Moves.Newest(100, Grain);

    private static GrainPlace Here(Silo silo) => new(silo.Cluster, silo.Node);
}
