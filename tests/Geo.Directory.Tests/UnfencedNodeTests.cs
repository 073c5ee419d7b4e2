namespace Geo.Directory.Tests;

/// <summary>Rows of nodes that are dead, but may still run what they ran: their cluster has not fenced them off yet.</summary>
public sealed class UnfencedNodeTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Theory]
    [InlineData("eu", "us")]
    [InlineData("asia", "eu", "us")]
    public void A_killed_cluster_that_returns_over_old_rows_does_not_end_the_survivors_live_instance(params string[] clusters)
    {
        var world = new World(1, clusters);
        World.Run(world, async silos =>
        {
            var (survivor, killed) = (silos[0], silos[^1]);
            await killed.CallAsync(Grain);
            world.Crash(killed, fenced: false);
            await survivor.CallAsync(Grain);

            var returned = await world.RestartAsync(killed, "us/2");
            await world.PassAsync(2 * world.Options.ResolveInterval);
            Assert.Equal([Grain], survivor.Instances);
            Assert.Equal(GsiState.Doubtful, survivor.Entry(Grain).State);

            world.Fence(killed);
            await world.PassAsync(2 * world.Options.ResolveInterval);

            Assert.Equal([Grain], survivor.Instances);
            Assert.Empty(survivor.Deactivated);
            Assert.Equal(GsiState.Owned, survivor.Entry(Grain).State);
            Assert.Equal(new Placement(PlacementKind.Elsewhere, survivor.Cluster, survivor.Node), await returned.CallAsync(Grain));
        });
    }

    [Fact]
    public void A_silo_waits_until_the_dead_one_of_its_cluster_is_fenced_off_and_takes_the_grain_over()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var dead = await KillASecondSiloThatOwnsTheGrainAsync(world, silos[1]);

            var waiting = silos[1].CallAsync(Grain);
            await world.PassAsync(5);
            Assert.False(waiting.IsCompleted);
            world.Fence(dead);
            await world.PassAsync(1);

            Assert.Equal(new Placement(PlacementKind.Here, silos[1].Cluster, silos[1].Node), await waiting);
        });
    }

    /// <summary>
    /// A silo that starts hears of one that lives and was not heard before: at whichever of its questions that is, it leaves that one's row
    /// alone.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public void A_silo_that_turns_out_to_live_between_two_questions_keeps_its_row(int unheard)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[1].Cluster, "us/2");
            await World.StartAsync(second);
            await second.CallAsync(Grain);
            var tenancy = silos[1].Entry(Grain).Epoch;
            var questions = 0;
            silos[1].Hearsay = node => node == second.Node && ++questions <= unheard ? NodeState.Unfenced : null;

            Assert.Equal(new Placement(PlacementKind.Here, second.Cluster, second.Node), await silos[1].CallAsync(Grain));

            Assert.True(questions > unheard);
            Assert.Equal(tenancy, silos[1].Entry(Grain).Epoch);
        });
    }

    [Fact]
    public void A_silo_that_cannot_be_fenced_off_is_waited_for_in_bounded_time()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await KillASecondSiloThatOwnsTheGrainAsync(world, silos[1]);

            var took = await world.MeasureAsync(async () =>
            {
                var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[1].CallAsync(Grain));
                Assert.Contains("fenced", refused.Message, StringComparison.Ordinal);
            });

            Assert.InRange(took, world.Options.TakeoverTimeout, world.Options.TakeoverTimeout + world.Options.PollInterval);
        });
    }

    [Fact]
    public void The_time_until_a_dead_silo_is_fenced_off_is_no_time_of_competing_for_the_grain()
    {
        var world = new World { Options = new() { AcquireTimeout = TimeSpan.FromSeconds(1) } };
        World.Run(world, async silos =>
        {
            var dead = await KillASecondSiloThatOwnsTheGrainAsync(world, silos[1]);
            var waiting = silos[1].CallAsync(Grain);
            await world.PassAsync(15);
            var writes = silos[1].Rows.Writes;
            silos[1].Rows.WriteFault = _ => silos[1].Rows.Writes < writes + 5 ? StoreFault.Conflicts : StoreFault.None;
            world.Fence(dead);

            Assert.Equal(new Placement(PlacementKind.Here, silos[1].Cluster, silos[1].Node), await waiting);
        });
    }

    [Fact]
    public void The_time_of_competing_for_the_grain_is_no_time_of_waiting_for_fences()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await KillASecondSiloThatOwnsTheGrainAsync(world, silos[1]);
            var third = world.AddSilo(silos[1].Cluster, "us/3");
            await World.StartAsync(third);
            silos[1].Rows.WriteFault = _ => StoreFault.Conflicts;
            var waiting = silos[1].CallAsync(Grain);
            await world.PassAsync(5);
            world.Fence(second);
            await world.PassAsync(8);

            // Another silo takes it over, and dies as well.
            silos[1].Rows.WriteFault = _ => StoreFault.None;
            await third.CallAsync(Grain);
            world.Crash(third, fenced: false);
            await world.PassAsync(12);
            Assert.False(waiting.IsCompleted);
            world.Fence(third);

            Assert.Equal(new Placement(PlacementKind.Here, silos[1].Cluster, silos[1].Node), await waiting);
        });
    }

    [Fact]
    public void What_an_earlier_life_of_the_cluster_owned_is_nowhere_to_be_called_while_its_node_is_not_fenced_off()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);
            world.Crash(silos[1], fenced: false);
            var returned = await world.RestartAsync(silos[1], "us/2");

            Assert.Null(await returned.Directory.LookupAsync(Grain));
            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
                () => silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic));
            Assert.Contains("not fenced off yet", refused.Message, StringComparison.Ordinal);
            Assert.Equal(silos[1].Node, returned.Entry(Grain).Node);
        });
    }

    [Fact]
    public void A_round_of_an_unfenced_node_is_cancelled_by_the_request_of_another_cluster()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[1].Cluster, "us/2");
            await World.StartAsync(second);
            _ = second.CallAsync(Grain);
            await world.PassAsync(World.OneWay / 2);
            world.Crash(second, fenced: false);

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic)).Kind);
            Assert.Equal(GsiState.Invalid, silos[1].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_duplicate_on_a_silo_that_is_declared_dead_while_it_is_to_end_is_gone_only_when_that_is_fenced_off()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[1].Cluster, "us/2");
            await World.StartAsync(second);
            await silos[0].CallAsync(Grain);
            world.Network.Isolate(silos[1].Cluster);
            await world.PassAsync(1);
            silos[1].Directory.ForgetCached(Grain, silos[0].Cluster);
            second.Directory.ForgetCached(Grain, silos[0].Cluster);
            Assert.Equal(PlacementKind.Here, (await second.CallAsync(Grain)).Kind);
            second.Deactivating = _ => throw new GeoUnavailableException("the test says so");
            silos[1].Deactivating = _ =>
            {
                world.Crash(second, fenced: false);
                return Task.CompletedTask;
            };

            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ScanInterval);
            Assert.Contains(Grain, silos[1].Deactivated);
            Assert.Equal((true, second.Node), (silos[1].Entry(Grain).IsYielding, silos[1].Entry(Grain).Node));
            world.Fence(second);

            Assert.Equal(new Placement(PlacementKind.Elsewhere, silos[0].Cluster, silos[0].Node), await silos[1].CallAsync(Grain));
        });
    }

    private static async Task<Silo> KillASecondSiloThatOwnsTheGrainAsync(World world, Silo first)
    {
        var second = world.AddSilo(first.Cluster, "us/2");
        await World.StartAsync(second);
        await second.CallAsync(Grain);
        world.Crash(second, fenced: false);
        return second;
    }
}
