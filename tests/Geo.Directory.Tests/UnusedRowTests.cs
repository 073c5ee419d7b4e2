namespace Geo.Directory.Tests;

/// <summary>Rows of living silos that own a grain and have no instance of it, as of a gift that nobody has called.</summary>
public sealed class UnusedRowTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void A_living_instance_in_doubt_is_not_ended_for_a_gift_that_nobody_has_called()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(Grain);
            Assert.True(await eu.Directory.Administration.MoveAsync(Grain, us.Cluster, "the test says so"));
            Assert.Equal((GsiState.Owned, us.Node), (us.Entry(Grain).State, us.Entry(Grain).Node));

            await LiveInDoubtAsync(world, asia);
            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);

            await AssertLivesAsync(asia, us);
            Assert.Null(us.Directory.TenancyOf(Grain));
        });
    }

    [Fact]
    public void The_silo_that_owns_the_grain_is_asked_by_the_one_that_answers_for_its_cluster()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddUnusedAsync(world, silos[1]);

            await LiveInDoubtAsync(world, silos[0]);
            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);

            await AssertLivesAsync(silos[0], silos[1]);
            Assert.Null(second.Directory.TenancyOf(Grain));
        });
    }

    [Fact]
    public void While_the_silo_that_owns_the_grain_does_not_say_whether_it_has_an_instance_the_living_one_goes_on()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddUnusedAsync(world, silos[1]);
            second.AnswersSiblings = false;

            await LiveInDoubtAsync(world, silos[0]);
            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);

            Assert.Empty(silos[0].Deactivated);
            Assert.Equal((GsiState.Owned, second.Node), (second.Entry(Grain).State, second.Entry(Grain).Node));

            second.AnswersSiblings = true;
            await world.PassAsync(2 * world.Options.ResolveInterval);
            await AssertLivesAsync(silos[0], silos[1]);
        });
    }

    /// <summary>That a round asks once more does not say that the node was asked before.</summary>
    [Fact]
    public void A_silo_that_is_late_with_one_answer_is_not_pointed_at_where_the_first_request_was_lost()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddUnusedAsync(world, silos[1]);
            second.TooSlowFor = 1;

            await LiveInDoubtAsync(world, silos[0]);
            world.Network.Heal();
            world.Network.Way(silos[0].Cluster, silos[1].Cluster).Loss = 1;
            await world.PassAsync(0.9);
            world.Network.Way(silos[0].Cluster, silos[1].Cluster).Loss = null;
            await world.PassAsync(2 * world.Options.ResolveInterval);

            Assert.True(second.Questions > 0);
            await AssertLivesAsync(silos[0], silos[1]);
        });
    }

    /// <summary>Until that is gone nothing is decided: neither the one nor the other is ended for the sake of none.</summary>
    [Fact]
    public void An_instance_in_doubt_stays_while_the_unused_row_cannot_be_given_up()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await AddUnusedAsync(world, silos[1]);
            await LiveInDoubtAsync(world, silos[0]);
            silos[1].Rows.WriteFault = state => state == GsiState.Invalid ? StoreFault.UnknownWithoutEffect : StoreFault.None;
            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);
            Assert.Equal(GsiState.Owned, silos[1].Entry(Grain).State);
            Assert.Equal((GsiState.Doubtful, 0), (silos[0].Entry(Grain).State, silos[0].Deactivated.Count));

            silos[1].Rows.WriteFault = _ => StoreFault.None;
            await world.PassAsync(2 * world.Options.ResolveInterval);

            await AssertLivesAsync(silos[0], silos[1]);
        });
    }

    [Fact]
    public void A_tenancy_under_which_an_instance_runs_or_begins_is_used_and_stays()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var silo = silos[0];
            await silo.CallAsync(Grain);
            var (tenancy, operations) = (silo.Directory.TenancyOf(Grain), silo.Rows.Operations);

            Assert.Equal(TenancyUse.Used, await silo.Directory.UsesAsync(Grain, tenancy!.Value));
            Assert.Equal((tenancy, operations), (silo.Directory.TenancyOf(Grain), silo.Rows.Operations));

            // It has been let run, and is not there yet.
            silo.Instances.Remove(Grain);
            silo.Beginning.Add(Grain);
            Assert.Equal(TenancyUse.Used, await silo.Directory.UsesAsync(Grain, tenancy.Value));
            silo.Beginning.Remove(Grain);
            Assert.Equal(TenancyUse.Unused, await silo.Directory.UsesAsync(Grain, tenancy.Value - 1));
            Assert.Equal(GsiState.Owned, silo.Entry(Grain).State);

            Assert.Equal(TenancyUse.Unused, await silo.Directory.UsesAsync(Grain, tenancy.Value));
            Assert.Equal(GsiState.Invalid, silo.Entry(Grain).State);
            Assert.Equal(PlacementKind.Here, (await silo.CallAsync(Grain)).Kind);
        });
    }

    [Fact]
    public void Of_a_call_that_begins_an_instance_and_a_question_that_finds_none_at_one_time_the_instance_has_a_row_of_its_own()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddUnusedAsync(world, silos[1]);
            var gate = new TaskCompletionSource();
            var tenancy = second.Directory.TenancyOf(Grain)!.Value;
            second.Rows.Gate = gate.Task;
            var uses = second.Directory.UsesAsync(Grain, tenancy).AsTask();
            var call = second.CallAsync(Grain);
            await world.PassAsync(0.1);
            second.Rows.Gate = Task.CompletedTask;
            gate.SetResult();

            Assert.Equal(TenancyUse.Unused, await uses);
            Assert.Equal(new Placement(PlacementKind.Here, second.Cluster, second.Node), await call);
            Assert.Equal((GsiState.Owned, second.Directory.TenancyOf(Grain)), (second.Entry(Grain).State, second.Entry(Grain).Epoch));
            Assert.NotEqual(tenancy, second.Directory.TenancyOf(Grain));
        });
    }

    [Fact]
    public void A_row_is_not_given_up_while_an_acquisition_is_under_way_that_a_call_may_join()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var (eu, us) = (silos[0], silos[1]);
            var answer = new TaskCompletionSource();
            us.Rows.Answers = state => state == GsiState.Owned ? answer.Task : Task.CompletedTask;

            // A gift: nobody calls it yet. The store has written the row, and is slow to say so.
            var gift = us.Directory.AcquireAsync(
                Grain, us.Node, SingleInstanceMode.Optimistic, TestContext.Current.CancellationToken).AsTask();
            await world.PassAsync(2 * World.RoundTrip);
            Assert.Equal(GsiState.Owned, us.Entry(Grain).State);
            Assert.False(gift.IsCompleted);

            // The link is lost for a moment.
            world.Network.Isolate(eu.Cluster);
            Assert.Equal(PlacementKind.Here, (await eu.CallAsync(Grain)).Kind);
            Assert.Equal(GsiState.Doubtful, eu.Entry(Grain).State);
            world.Network.Heal();
            var resolving = eu.Directory.ResolveDoubtfulAsync(TestContext.Current.CancellationToken).AsTask();
            await world.PassAsync(0.6);
            Assert.Equal((GsiState.Owned, false), (us.Entry(Grain).State, gift.IsCompleted));

            var call = us.CallAsync(Grain);
            await world.PassAsync(2 * World.RoundTrip);
            answer.SetResult();

            Assert.Equal(PlacementKind.Here, (await call).Kind);
            await resolving;
            await world.PassAsync(2 * world.Options.ResolveInterval);
            Assert.Single(us.Instances);
            Assert.Empty(eu.Instances);
        });
    }

    [Fact]
    public void An_instance_that_runs_has_its_tenancy_while_its_silo_is_asked_for_it()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var silo = silos[0];
            await silo.CallAsync(Grain);
            var tenancy = silo.Directory.TenancyOf(Grain);
            long? seen = null;
            silo.Asked = () => seen = silo.Directory.TenancyOf(Grain);
            Assert.Equal(TenancyUse.Used, await silo.Directory.UsesAsync(Grain, tenancy!.Value));
            Assert.Equal(tenancy, seen);
        });
    }

    /// <summary>Another silo of a cluster owns the grain, and has no instance.</summary>
    private static async Task<Silo> AddUnusedAsync(World world, Silo first)
    {
        var second = world.AddSilo(first.Cluster, "us/2");
        await World.StartAsync(second);
        await second.Directory.AcquireAsync(
            Grain, second.Node, SingleInstanceMode.Optimistic, TestContext.Current.CancellationToken);
        return second;
    }

    private static async Task LiveInDoubtAsync(World world, Silo silo)
    {
        world.Network.Isolate(silo.Cluster);
        await world.PassAsync(1);
        Assert.Equal(PlacementKind.Here, (await silo.CallAsync(Grain)).Kind);
        Assert.Equal(GsiState.Doubtful, silo.Entry(Grain).State);
    }

    /// <summary>The one has its instance still, and owns it; the other has given the grain up, and knows where it is.</summary>
    private static async Task AssertLivesAsync(Silo living, Silo unused)
    {
        Assert.Equal([Grain], living.Instances);
        Assert.Empty(living.Deactivated);
        Assert.Equal((GsiState.Owned, GsiState.Invalid), (living.Entry(Grain).State, unused.Entry(Grain).State));
        Assert.Equal(new Placement(PlacementKind.Elsewhere, living.Cluster, living.Node), await unused.CallAsync(Grain));
    }
}
