using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>Silos that alone lose the store of the rows, and those that watch them.</summary>
public sealed class LeaseWatchTests
{
    private readonly SimulationScheduler _scheduler = new();
    private readonly LeaseRing _ring;

    public LeaseWatchTests() => _ring = new LeaseRing(_scheduler);

    [Theory]
    [InlineData(2, Trouble.Cut)]
    [InlineData(2, Trouble.Hangs)]
    [InlineData(2, Trouble.LosesWrites)]
    [InlineData(3, Trouble.Cut)]
    [InlineData(3, Trouble.Hangs)]
    [InlineData(4, Trouble.LosesWrites)]
    public void A_silo_that_alone_loses_the_store_is_gone_in_time_for_all_and_hears_of_it(int count, Trouble trouble) =>
        _scheduler.Run(async () =>
        {
            var silos = await _ring.StartAsync(count, TimeSpan.FromSeconds(1.3));
            await _ring.PassAsync(2 * LeaseRing.Lease);
            var (lost, others) = (silos[^1], silos.SkipLast(1).ToArray());

            Begin(lost, trouble);
            var took = await _ring.UntilAsync(() => others.All(silo => silo.Calls(lost, NodeState.Gone)), 2 * LeaseRing.Noticed);

            Assert.InRange(took, LeaseRing.Lease * 2 / 3, LeaseRing.Noticed);
            Assert.All(others, silo => Assert.False(silo.Cluster.Liveness.MayBeCalled(lost.Node)));
            await _ring.PassAsync(LeaseRing.Lease);
            Assert.Equal(1, lost.Fenced);
            Assert.All(others, silo => Assert.True(silo.MayServe));
        });

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void Of_several_in_a_row_that_lose_the_store_the_last_is_gone_a_little_later_than_the_first(int lost) =>
        _scheduler.Run(async () =>
        {
            var silos = await _ring.StartAsync(lost + 1, TimeSpan.FromSeconds(1.3));
            await _ring.PassAsync(TimeSpan.FromMinutes(1.3));

            foreach (var silo in silos.Skip(1))
            {
                Begin(silo, Trouble.Cut);
            }

            var took = await _ring.UntilAsync(
                () => silos.Skip(1).All(silo => silos[0].Calls(silo, NodeState.Gone)), 2 * LeaseRing.Noticed);

            Assert.InRange(took, TimeSpan.Zero, LeaseRing.Noticed + (LeaseRing.Lease * 0.55 * (lost - 1)));
        });

    /// <summary>The one between renews in time, and never long enough to watch.</summary>
    [Fact]
    public void A_silo_that_loses_the_store_behind_one_that_loses_it_now_and_then_is_gone_in_time() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);

        Begin(silos[2], Trouble.Cut);
        for (var turn = 0; turn < 10; turn++)
        {
            Begin(silos[1], Trouble.Cut);
            await _ring.PassAsync(LeaseRing.Lease * 0.4);
            End(silos[1]);
            await _ring.PassAsync(LeaseRing.Lease * 0.4);
        }

        Assert.True(silos[0].Calls(silos[2], NodeState.Gone));
        Assert.Equal([0, 0, 1], silos.Select(silo => silo.Fenced));
    });

    /// <summary>
    /// One reply of the store to the one that watches is lost, or one of its writes: that is no outage that all have had.
    /// </summary>
    [Theory]
    [InlineData(Trouble.LosesReplies, 1.65)]
    [InlineData(Trouble.LosesWrites, 3.5)]
    public void A_watcher_that_fails_once_goes_on_watching(Trouble trouble, double leases) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        Begin(silos[1], Trouble.Cut);
        await _ring.PassAsync(LeaseRing.Lease * 0.5);

        Begin(silos[0], trouble);
        await _ring.PassAsync(LeaseRing.Lease / 3);
        End(silos[0]);
        await _ring.PassAsync(LeaseRing.Lease * (leases - 0.5 - (1.0 / 3)));

        Assert.Equal([0, 1], silos.Select(silo => silo.Fenced));
        Assert.True(silos[0].Calls(silos[1], NodeState.Gone));
    });

    [Theory]
    [InlineData(Trouble.Cut)]
    [InlineData(Trouble.Hangs)]
    [InlineData(Trouble.LosesWrites)]
    public void A_trouble_of_the_store_that_all_have_fences_nobody_off_however_long_it_lasts(Trouble trouble) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        for (var lasts = 0.2; lasts < 4; lasts += 0.17)
        {
            await _ring.PassAsync(2 * LeaseRing.Lease);
            foreach (var silo in silos)
            {
                Begin(silo, trouble);
            }

            await _ring.PassAsync(LeaseRing.Lease * lasts);
            foreach (var silo in silos)
            {
                End(silo);
            }
        }

        await _ring.PassAsync(LeaseRing.Lease);
        Assert.All(silos, silo => Assert.True(silo.MayServe));
        Assert.All(silos, silo => Assert.Equal(0, silo.Fenced));
    });

    [Fact]
    public void Machines_that_stand_still_together_fence_nobody_off() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        for (var lasts = 0.5; lasts < 4; lasts += 0.17)
        {
            await _ring.PassAsync(2 * LeaseRing.Lease);
            foreach (var silo in silos)
            {
                silo.Lane.Freeze();
            }

            await _ring.PassAsync(LeaseRing.Lease * lasts);
            foreach (var silo in silos)
            {
                silo.Lane.Thaw();
            }
        }

        await _ring.PassAsync(2 * LeaseRing.Lease);
        Assert.All(silos, silo => Assert.True(silo.MayServe));
    });

    /// <summary>Both watch each other, and each has its own trouble when the other has none, or has just had one.</summary>
    [Fact]
    public void Of_two_whose_stores_come_and_go_in_turn_none_is_gone_while_it_serves() => _scheduler.Run(async () =>
    {
        var random = new Random(7);
        var ended = 0;
        for (var run = 0; run < 20; run++)
        {
            var silos = new[] { await _ring.StartAsync($"eu/{run}a"), await _ring.StartAsync($"eu/{run}b") };
            for (var turn = 0; turn < 8 && silos.All(silo => silo.Fenced == 0); turn++)
            {
                var silo = silos[turn % 2];
                Begin(silo, random.GetItems([Trouble.Cut, Trouble.Hangs, Trouble.LosesWrites], 1)[0]);
                await _ring.PassAsync(LeaseRing.Lease * 1.8 * random.NextDouble());
                End(silo);
                await _ring.PassAsync(LeaseRing.Lease * 0.5 * random.NextDouble());
            }

            ended += silos.Sum(silo => silo.Fenced);
            Assert.Contains(silos, silo => silo.Fenced == 0);
            foreach (var silo in silos)
            {
                await _ring.StopAsync(silo);
            }
        }

        Assert.True(ended > 0);
    });

    [Fact]
    public void A_frozen_silo_that_goes_on_after_it_was_fenced_off_serves_nothing_and_finds_out() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        _ring.Net.Crash(silos[1].Node);
        silos[1].Lane.Freeze();
        await _ring.UntilAsync(() => silos[0].Calls(silos[1], NodeState.Gone), 2 * LeaseRing.Noticed);
        Assert.True(silos[0].Calls(silos[1], NodeState.Gone));

        silos[1].Lane.Thaw();
        await _ring.PassAsync(LeaseRing.Lease);

        Assert.False(silos[1].MayServe);
        Assert.Equal(1, silos[1].Fenced);
    });

    /// <summary>The margin of a tenth is for clocks that run at other rates: here almost a tenth apart.</summary>
    [Theory]
    [InlineData(1.05, 0.96)]
    [InlineData(0.96, 1.05)]
    [InlineData(1.09, 1)]
    [InlineData(1, 0.92)]
    public void With_clocks_that_run_at_other_rates_none_is_gone_while_it_serves(double watchers, double watched) =>
        _scheduler.Run(async () =>
        {
            for (var run = 0; run < 10; run++)
            {
                var watcher = await _ring.StartAsync($"eu/{run}a", watchers);
                await _ring.PassAsync(TimeSpan.FromSeconds(0.37 * run));
                var silo = await _ring.StartAsync($"eu/{run}b", watched);
                await _ring.PassAsync((2 * LeaseRing.Lease) + TimeSpan.FromSeconds(0.59 * run));
                Begin(silo, Trouble.Cut);
                await _ring.UntilAsync(() => watcher.Calls(silo, NodeState.Gone), 2 * LeaseRing.Noticed);
                Assert.True(watcher.Calls(silo, NodeState.Gone));
                await _ring.StopAsync(watcher);
                await _ring.StopAsync(silo);
            }
        });

    [Fact]
    public void A_member_without_a_row_is_left_alone_and_the_one_after_it_is_watched() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        _ring.Net.Join("eu/1.5");
        await _ring.PassAsync(5 * LeaseRing.Lease);
        Assert.Equal(NodeState.Living, silos[0].Cluster.Liveness.StateOf("eu/1.5"));

        Begin(silos[1], Trouble.Cut);
        await _ring.PassAsync(LeaseRing.Noticed);

        Assert.True(silos[0].Calls(silos[1], NodeState.Gone));
        Assert.Equal(StoreReadOutcome.NotFound, (await _ring.Rows.ReadAsync(LeaseRow.KeyOf("eu/1.5"))).Outcome);
    });

    [Fact]
    public void A_silo_that_restarts_while_it_is_watched_is_another_one_and_nobody_is_fenced_off() => _scheduler.Run(async () =>
    {
        var first = await _ring.StartAsync("eu/1");
        for (var life = 0; life < 10; life++)
        {
            var second = await _ring.StartAsync($"eu/2.{life}");
            await _ring.PassAsync(LeaseRing.Lease * 0.23 * life);
            await _ring.StopAsync(second);
            Assert.Equal((0, 0), (first.Fenced, second.Fenced));
            await _ring.PassAsync(TimeSpan.FromSeconds(0.3 * life));
        }

        Assert.True(first.MayServe);
    });

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 2)]
    [InlineData(3, 4)]
    [InlineData(4, 4)]
    public void The_watch_reads_the_rows_of_the_next_two_twice_in_the_duration_of_a_lease_and_none_where_a_silo_is_alone(
        int count, int reads) =>
        _scheduler.Run(async () =>
        {
            var silos = await _ring.StartAsync(count, TimeSpan.FromSeconds(1.3));
            await _ring.PassAsync(LeaseRing.Lease);
            silos[0].Way.Read.Clear();

            await _ring.PassAsync(10 * LeaseRing.Lease);

            Assert.InRange(silos[0].Way.Read.Count, 10 * reads, (10 * reads) + (reads / 2));
            Assert.Equal(reads / 2, silos[0].Way.Read.Distinct().Count());
        });

    [Fact]
    public void Without_the_watch_a_silo_that_alone_loses_the_store_keeps_its_grains() =>
        MissedWithout(ProtocolRule.LeasesAreWatched, Trouble.Cut);

    [Fact]
    public void Without_its_wait_a_silo_is_gone_while_it_serves() => MissedWithout(ProtocolRule.SilenceIsAwaited, Trouble.Cut);

    [Fact]
    public void Without_its_own_steadiness_a_silo_fences_others_off_for_a_trouble_that_all_have()
    {
        SwitchedOff.Set([ProtocolRule.WatcherIsSteady]);
        try
        {
            Assert.ThrowsAny<Xunit.Sdk.XunitException>(
                () => A_trouble_of_the_store_that_all_have_fences_nobody_off_however_long_it_lasts(Trouble.LosesWrites));
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private void MissedWithout(ProtocolRule rule, Trouble trouble)
    {
        SwitchedOff.Set([rule]);
        try
        {
            Assert.ThrowsAny<Xunit.Sdk.XunitException>(
                () => A_silo_that_alone_loses_the_store_is_gone_in_time_for_all_and_hears_of_it(2, trouble));
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private static void Begin(RingSilo silo, Trouble trouble) => silo.Way.Begin(trouble);

    private static void End(RingSilo silo) => silo.Way.End();
}
