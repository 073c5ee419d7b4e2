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

    /// <summary>
    /// A silo whose operations hang begins one a minute in the end: it finds the store again up to a minute after one whose operations fail
    /// at once.
    /// </summary>
    [Theory]
    [InlineData(0, 6.5)]
    [InlineData(1, 7)]
    [InlineData(2, 7.3)]
    [InlineData(0, 7.7)]
    [InlineData(1, 8.1)]
    public void An_outage_for_all_that_ends_later_for_some_fences_nobody_off(int first, double minutes) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        foreach (var silo in silos)
        {
            Begin(silo, silo == silos[first] ? Trouble.Cut : Trouble.HangsForGood);
        }

        await _ring.PassAsync(TimeSpan.FromMinutes(minutes));
        foreach (var silo in silos)
        {
            End(silo);
        }

        await _ring.PassAsync(TimeSpan.FromMinutes(3));
        Assert.All(silos, silo => Assert.Equal(0, silo.Fenced));
        Assert.All(silos, silo => Assert.True(silo.MayServe));
    });

    [Fact]
    public void After_an_outage_for_all_one_that_does_not_find_the_store_again_is_gone_in_time() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        foreach (var silo in silos)
        {
            Begin(silo, Trouble.Cut);
        }

        await _ring.PassAsync(4 * LeaseRing.Lease);
        End(silos[0]);
        End(silos[2]);
        var took = await _ring.UntilAsync(() => silos[0].Calls(silos[1], NodeState.Gone), TimeSpan.FromMinutes(3));

        Assert.InRange(took, TimeSpan.FromMinutes(1), TimeSpan.FromMinutes(1.1) + (2 * LeaseRing.Lease));
    });

    /// <summary>What took effect is what the row says, whoever heard of it.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void A_silo_that_does_not_hear_of_its_writes_serves_on(int count) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(count, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        Begin(silos[^1], Trouble.LosesReplies);

        var took = await _ring.UntilAsync(() => !silos[^1].MayServe, 10 * LeaseRing.Lease);

        Assert.Equal(10 * LeaseRing.Lease, took);
        Assert.Equal(0, silos[^1].Fenced);
    });

    /// <summary>Each second renewal counts then, for a part of its time.</summary>
    [Fact]
    public void A_silo_whose_writes_take_effect_after_they_were_waited_for_serves_again_and_again() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        Begin(silos[1], Trouble.WritesLate);
        await _ring.PassAsync(2 * LeaseRing.Lease);
        for (var turn = 0; turn < 10; turn++)
        {
            var without = await _ring.UntilAsync(() => silos[1].MayServe, 2 * LeaseRing.Lease);
            Assert.InRange(without, TimeSpan.Zero, LeaseRing.Lease);
            await _ring.UntilAsync(() => !silos[1].MayServe, 2 * LeaseRing.Lease);
        }

        End(silos[1]);
        await _ring.PassAsync(2 * LeaseRing.Lease);
        Assert.Equal(0, silos[1].Fenced);
        Assert.Equal(2 * LeaseRing.Lease, await _ring.UntilAsync(() => silos.Any(silo => !silo.MayServe), 2 * LeaseRing.Lease));
    });

    /// <summary>The lease that a row found proves must be over before anybody takes the silo for gone.</summary>
    [Fact]
    public void Of_two_with_troubles_of_every_kind_in_turn_none_is_gone_while_it_serves() => _scheduler.Run(async () =>
    {
        var random = new Random(11);
        var ended = 0;
        for (var run = 0; run < 20; run++)
        {
            var silos = new[] { await _ring.StartAsync($"eu/{run}a"), await _ring.StartAsync($"eu/{run}b") };
            for (var turn = 0; turn < 12 && silos.All(silo => silo.Fenced == 0); turn++)
            {
                var silo = silos[random.Next(2)];
                Begin(silo, random.GetItems(Enum.GetValues<Trouble>(), 1)[0]);
                await _ring.PassAsync(LeaseRing.Lease * 1.8 * random.NextDouble());
                if (random.Next(2) == 0)
                {
                    End(silo);
                    await _ring.PassAsync(LeaseRing.Lease * 0.5 * random.NextDouble());
                }
            }

            ended += silos.Sum(silo => silo.Fenced);
            foreach (var silo in silos)
            {
                End(silo);
                await _ring.StopAsync(silo);
            }
        }

        Assert.True(ended > 0);
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
    public void A_row_that_this_version_cannot_read_is_left_alone_and_the_one_after_it_is_watched() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        _ring.Net.Join("eu/1.5");
        await _ring.Rows.WriteAsync(LeaseRow.KeyOf("eu/1.5"), new byte[] { 77, 1, 2, 3 }, null);
        await _ring.PassAsync(TimeSpan.FromMinutes(1.5));
        Assert.Equal(NodeState.Living, silos[0].Cluster.Liveness.StateOf("eu/1.5"));

        Begin(silos[1], Trouble.Cut);
        await _ring.PassAsync(LeaseRing.Noticed);

        Assert.True(silos[0].Calls(silos[1], NodeState.Gone));
        Assert.Equal([77, 1, 2, 3], (await _ring.Rows.ReadAsync(LeaseRow.KeyOf("eu/1.5"))).Value.ToArray());
    });

    /// <summary>The row says it at the next look, which comes soon.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(0.3)]
    [InlineData(0.6)]
    [InlineData(1.4)]
    public void A_silo_whose_fence_was_not_heard_of_is_gone_in_time_and_hears_of_it(double later) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync((2 * LeaseRing.Lease) + TimeSpan.FromSeconds(later));
        silos[0].Way.LosesReplyToFence = true;
        Begin(silos[1], Trouble.Cut);
        var fenced = await _ring.UntilAsync(() => !silos[0].Way.LosesReplyToFence, LeaseRing.Noticed);
        Assert.InRange(fenced, TimeSpan.Zero, LeaseRing.Lease * 1.6);

        var took = await _ring.UntilAsync(() => silos[1].Fenced == 1 && silos[0].Calls(silos[1], NodeState.Gone), LeaseRing.Noticed);

        Assert.InRange(took, TimeSpan.Zero, LeaseRing.Lease * 0.2);
    });

    [Fact]
    public void A_read_that_is_lost_lets_the_watch_begin_anew_of_that_silo_only() => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(TimeSpan.FromMinutes(1.3));
        Begin(silos[1], Trouble.Cut);
        Begin(silos[2], Trouble.Cut);
        await _ring.PassAsync(LeaseRing.Lease * 1.1);
        silos[0].Way.LosesReadOf = silos[1].Node;

        var took = await _ring.UntilAsync(() => silos[0].Calls(silos[2], NodeState.Gone), 2 * LeaseRing.Noticed);

        Assert.InRange(took, TimeSpan.Zero, LeaseRing.Lease * (1.6 + 0.55 - 1.1 + 0.1));
        Assert.Null(silos[0].Way.LosesReadOf);
        Assert.Equal(NodeState.Living, silos[0].Cluster.Liveness.StateOf(silos[1].Node));
        await _ring.UntilAsync(() => silos[0].Calls(silos[1], NodeState.Gone), 2 * LeaseRing.Noticed);
        Assert.True(silos[0].Calls(silos[1], NodeState.Gone));
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
    [InlineData(3, 2)]
    public void The_watch_takes_two_reads_in_the_duration_of_a_lease_and_none_where_a_silo_is_alone(int count, int reads) =>
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
