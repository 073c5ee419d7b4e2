namespace Geo.Directory.Tests;

/// <summary>
/// A host looks a grain up before it acquires it: the acquisition does not read the row again, and its first write finds out the rest.
/// </summary>
public sealed class AbsentRowsTests
{
    [Fact]
    public void A_lookup_and_the_acquisition_after_it_read_the_row_once()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            Assert.Null(await silos[0].Directory.LookupAsync(World.Grain));
            var placement = await silos[0].CallAsync(World.Grain);

            Assert.Equal(PlacementKind.Here, placement.Kind);
            Assert.Equal((1, 2), (silos[0].Rows.Reads, silos[0].Rows.Writes));
        });
    }

    [Fact]
    public void A_grain_that_another_silo_has_acquired_since_the_lookup_is_found_there()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            Assert.Null(await silos[0].Directory.LookupAsync(World.Grain));
            Assert.Equal("eu/2", (await second.CallAsync(World.Grain)).Node);

            var placement = await silos[0].CallAsync(World.Grain);

            Assert.Equal((PlacementKind.Here, "eu/2"), (placement.Kind, placement.Node));
            Assert.Equal(GsiState.Owned, silos[0].Entry(World.Grain).State);
        });
    }

    [Fact]
    public void A_silo_that_is_given_a_grain_which_another_one_has_looked_up_reads_no_row_and_finds_what_is_there_all_the_same()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            silos[0].Directory.NoteLookedUp(World.Grain);
            Assert.Equal("eu/1", (await silos[0].CallAsync(World.Grain)).Node);
            Assert.Equal((0, 2), (silos[0].Rows.Reads, silos[0].Rows.Writes));

            second.Directory.NoteLookedUp(World.Grain);
            var placement = await second.CallAsync(World.Grain);

            Assert.Equal((PlacementKind.Here, "eu/1"), (placement.Kind, placement.Node));
            Assert.Equal(GsiState.Owned, silos[0].Entry(World.Grain).State);
        });
    }

    /// <summary>It would make no write that finds it: its silo is dead, or has acquired it since.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_cluster_that_leaves_finds_the_row_that_is_there_all_the_same(bool dies)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            Assert.Equal("eu/2", (await second.CallAsync(World.Grain)).Node);
            var leaving = new MultiClusterConfiguration(
                new ConfigurationStamp(2, 0),
                new Dictionary<ClusterId, ClusterStage>
                {
                    [silos[0].Cluster] = ClusterStage.Leaving,
                    [silos[1].Cluster] = ClusterStage.Member,
                });
            Array.ForEach([.. silos, second], s => s.Directory.Process(leaving));
            if (dies)
            {
                world.Crash(second, fenced: false);
            }

            silos[0].Directory.NoteLookedUp(World.Grain);
            var call = silos[0].CallAsync(World.Grain);
            await world.PassAsync(1);
            world.Fence(second);

            var found = await call;
            Assert.Equal((PlacementKind.Here, dies ? "eu/1" : "eu/2"), (found.Kind, found.Node));
        });
    }

    [Fact]
    public void A_lookup_serves_one_acquisition()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            Assert.Null(await silos[0].Directory.LookupAsync(World.Grain));
            await silos[0].CallAsync(World.Grain);
            await silos[0].EndAsync(World.Grain);
            var before = silos[0].Rows.Reads;

            await silos[0].CallAsync(World.Grain);

            Assert.Equal(1, silos[0].Rows.Reads - before);
        });
    }

    [Fact]
    public void More_lookups_than_acquisitions_that_may_run_are_forgotten()
    {
        var rows = new AbsentRows(capacity: 2);
        GrainKey[] keys = [new("cart", "1"), new("cart", "2"), new("cart", "3")];
        foreach (var key in keys)
        {
            rows.Note(key, isAbsent: true);
        }

        Assert.Equal([false, false, true], [.. keys.Select(rows.Take)]);
        Assert.False(rows.Take(keys[2]));
    }
}
