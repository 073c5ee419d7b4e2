namespace Geo.Directory.Tests;

/// <summary>An instance that moves between two silos of its cluster.</summary>
public sealed class MoveTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void A_move_asks_no_other_cluster_and_leaves_the_old_node_nothing_to_release()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await silos[0].CallAsync(Grain);
            var sent = world.Network.Counts.Sent;

            silos[0].Instances.Remove(Grain);
            Assert.NotNull(
                await second.Directory.MoveAsync(
                    Grain, silos[0].Node, second.Node, cancellationToken: TestContext.Current.CancellationToken));
            await silos[0].Directory.ReleaseAsync(Grain, silos[0].Node);

            Assert.Equal(sent, world.Network.Counts.Sent);
            Assert.Equal(GsiState.Owned, second.Entry(Grain).State);
            Assert.Equal(new Placement(PlacementKind.Here, second.Cluster, second.Node), await second.CallAsync(Grain));
            Assert.Equal(second.Node, (await silos[0].CallAsync(Grain)).Node);
        });
    }

    [Fact]
    public void What_is_not_at_the_old_node_does_not_move()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            Assert.Null(
                await silos[0].Directory.MoveAsync(Grain, "eu/9", silos[0].Node, cancellationToken: TestContext.Current.CancellationToken));
            await silos[1].CallAsync(Grain);
            await silos[0].CallAsync(Grain);

            Assert.Null(
                await silos[0].Directory.MoveAsync(
                    Grain, silos[1].Node, silos[0].Node, cancellationToken: TestContext.Current.CancellationToken));

            Assert.Equal(silos[1].Cluster, (await silos[0].Directory.LookupAsync(Grain, TestContext.Current.CancellationToken))?.Cluster);
            Assert.Equal(GsiState.Owned, silos[1].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_doubtful_instance_moves_while_its_round_is_run_again()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            world.Network.Isolate(silos[0].Cluster);
            await silos[0].CallAsync(Grain);
            var tenancy = silos[0].Directory.TenancyOf(Grain);
            world.Network.Options.RefusedWhenCut = 0;
            await world.PassAsync(world.Options.ResolveInterval);
            Assert.Equal((GsiState.Requested, true), (silos[0].Entry(Grain).State, silos[0].Entry(Grain).HasInstance));

            silos[0].Instances.Remove(Grain);
            Assert.NotNull(
                await second.Directory.MoveAsync(Grain, silos[0].Node, second.Node, tenancy, TestContext.Current.CancellationToken));

            Assert.Equal((GsiState.Doubtful, second.Node), (second.Entry(Grain).State, second.Entry(Grain).Node));
            Assert.Equal(new Placement(PlacementKind.Here, second.Cluster, second.Node), await second.CallAsync(Grain));
            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);
            Assert.Equal((GsiState.Owned, second.Node), (second.Entry(Grain).State, second.Entry(Grain).Node));
        });
    }

    [Fact]
    public void The_silo_that_an_instance_has_left_keeps_nothing_of_it()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await silos[0].CallAsync(Grain);
            var tenancy = silos[0].Directory.TenancyOf(Grain)!.Value;
            silos[0].Instances.Remove(Grain);
            Assert.NotNull(
                await second.Directory.MoveAsync(Grain, silos[0].Node, second.Node, tenancy, TestContext.Current.CancellationToken));
            var operations = silos[0].Rows.Operations;

            silos[0].Directory.Leave(Grain, tenancy);

            Assert.Null(silos[0].Directory.TenancyOf(Grain));
            Assert.NotNull(second.Directory.TenancyOf(Grain));
            Assert.Equal(operations, silos[0].Rows.Operations);
        });
    }

    [Fact]
    public void An_instance_that_was_activated_anew_where_it_left_does_not_move()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await silos[0].CallAsync(Grain);
            var left = silos[0].Directory.TenancyOf(Grain);
            silos[0].Instances.Remove(Grain);
            await silos[0].Directory.ReleaseAsync(Grain, silos[0].Node);
            await silos[0].CallAsync(Grain);

            Assert.NotEqual(left, silos[0].Directory.TenancyOf(Grain));
            Assert.Null(await second.Directory.MoveAsync(Grain, silos[0].Node, second.Node, left, TestContext.Current.CancellationToken));

            Assert.Equal(silos[0].Node, (await second.CallAsync(Grain)).Node);
        });
    }
}
