namespace Geo.Directory.Tests;

/// <summary>How many operations of the store the common paths take, at home and in the other clusters.</summary>
public sealed class StoreCostTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void A_first_access_costs_one_read_and_two_writes_at_home_and_one_read_in_each_other_cluster()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await world.PassAsync(1);
            var before = Costs(silos);

            await silos[1].CallAsync(Grain);

            Assert.Equal([(1, 0), (1, 2), (1, 0)], Since(before, silos));
        });
    }

    [Fact]
    public void A_first_access_to_a_grain_of_another_cluster_costs_one_read_and_two_writes_at_home_and_one_read_in_each_other()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await world.PassAsync(1);
            var before = Costs(silos);

            Assert.Equal(PlacementKind.Elsewhere, (await silos[1].CallAsync(Grain)).Kind);
            Assert.Equal(PlacementKind.Elsewhere, (await silos[1].CallAsync(Grain)).Kind);

            Assert.Equal([(1, 0), (1, 2), (1, 0)], Since(before, silos));
        });
    }

    [Fact]
    public void A_deactivation_costs_one_write_at_home_and_nothing_elsewhere()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);
            await silos[2].CallAsync(Grain);
            var before = Costs(silos);

            await silos[0].EndAsync(Grain);
            await world.PassAsync(1);

            var costs = Since(before, silos);
            Assert.Equal(1, costs[0].Writes);
            Assert.InRange(costs[0].Reads, 0, 1);
            Assert.Equal([(0, 0), (0, 0)], costs[1..]);
        });
    }

    [Fact]
    public void A_gift_costs_each_other_cluster_a_question_and_whom_it_is_given_one_read_and_two_writes_more()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await world.PassAsync(1);
            var before = Costs(silos);

            Assert.True(await silos[0].Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "the test says so"));

            Assert.Equal((GsiState.Owned, silos[1].Node), (silos[1].Entry(Grain).State, silos[1].Entry(Grain).Node));
            Assert.Equal([(1 + 1, 2), (1 + 1, 0)], Since(before, silos)[1..]);
        });
    }

    private static (int Reads, int Writes)[] Costs(Silo[] silos) => [.. silos.Select(s => (s.Rows.Reads, s.Rows.Writes))];

    private static (int Reads, int Writes)[] Since((int Reads, int Writes)[] before, Silo[] silos) =>
        [.. Costs(silos).Zip(before, (now, then) => (now.Reads - then.Reads, now.Writes - then.Writes))];
}
