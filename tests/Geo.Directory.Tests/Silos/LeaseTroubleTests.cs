using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>Troubles of silos with the store of the rows that look like another one's.</summary>
public sealed class LeaseTroubleTests
{
    private readonly SimulationScheduler _scheduler = new();
    private readonly LeaseRing _ring;

    public LeaseTroubleTests() => _ring = new LeaseRing(_scheduler);

    /// <summary>
    /// A silo whose operations hang begins one a minute in the end: it finds the store again up to a minute after one whose operations fail
    /// at once.
    /// </summary>
    [Theory]
    [InlineData(0, 6.5, false)]
    [InlineData(1, 7, false)]
    [InlineData(2, 7.3, false)]
    [InlineData(0, 7.7, true)]
    [InlineData(1, 8.1, true)]
    public void An_outage_for_all_that_ends_later_for_some_ends_nobody(int first, double minutes, bool lost) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync(2 * LeaseRing.Lease);
        foreach (var silo in silos)
        {
            Begin(silo, silo == silos[first] ? Trouble.Cut : Trouble.HangsForGood);
        }

        await _ring.PassAsync(TimeSpan.FromMinutes(minutes));
        silos[first].Way.LosesReadOf = lost ? silos[(first + 1) % 3].Node : null;
        foreach (var silo in silos)
        {
            End(silo);
        }

        await _ring.PassAsync(TimeSpan.FromMinutes(3));
        Assert.All(silos, silo => Assert.Equal(0, silo.Fenced));
        Assert.All(silos, silo => Assert.True(silo.MayServe));
    });

    /// <summary>It may come back later by as long as the outage lasted, and a minute at most: that long it is given.</summary>
    [Theory]
    [InlineData(4, 24, 45)]
    [InlineData(40, 60, 90)]
    public void After_an_outage_for_all_one_that_does_not_find_the_store_again_is_gone_in_time(int leases, int from, int to) =>
        _scheduler.Run(async () =>
        {
            var silos = await _ring.StartAsync(3, TimeSpan.FromSeconds(1.3));
            await _ring.PassAsync(2 * LeaseRing.Lease);
            foreach (var silo in silos)
            {
                Begin(silo, Trouble.Cut);
            }

            await _ring.PassAsync(leases * LeaseRing.Lease);
            End(silos[0]);
            End(silos[2]);
            var took = await _ring.UntilAsync(() => silos[0].Calls(silos[1], NodeState.Gone), TimeSpan.FromMinutes(3));

            Assert.InRange(took, TimeSpan.FromSeconds(from), TimeSpan.FromSeconds(to));
        });

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
                Begin(silo, random.GetItems(Enum.GetValues<Trouble>()[..^1], 1)[0]);
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

    /// <summary>The silo's write was on its way while the sibling found its time to be over, and overtakes the fence.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(0.7)]
    [InlineData(1.4)]
    public void A_silo_that_renews_between_the_last_read_of_its_row_and_the_fence_is_not_fenced_off(double later) =>
        RenewBeforeTheFence(later, blindly: false);

    [Fact]
    public void Without_the_comparison_it_is_gone_while_it_serves() =>
        Assert.ThrowsAny<Xunit.Sdk.XunitException>(() => RenewBeforeTheFence(0, blindly: true));

    /// <summary>The row says how long its silo relies on it; the other way round the watch waits less.</summary>
    [Theory]
    [InlineData(2)]
    [InlineData(0.5)]
    public void A_silo_with_a_lease_of_another_duration_is_gone_when_that_has_run_out(double times) => _scheduler.Run(async () =>
    {
        var lease = LeaseRing.Lease * times;
        var watcher = await _ring.StartAsync("eu/1");
        for (var run = 0; run < 5; run++)
        {
            var silo = await _ring.StartAsync($"eu/2.{run}", lease: lease);
            await _ring.PassAsync((3 * LeaseRing.Lease) + TimeSpan.FromSeconds(0.7 * run));
            Begin(silo, Trouble.Cut);

            var took = await _ring.UntilAsync(() => watcher.Calls(silo, NodeState.Gone), 4 * LeaseRing.Lease);

            Assert.InRange(took, lease * 2 / 3, (lease * 1.1) + (LeaseRing.Lease * 0.55));
            await _ring.StopAsync(silo);
        }
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
        await _ring.PassAsync(LeaseRing.Lease * 0.6);
        silos[0].Way.LosesReadOf = silos[1].Node;

        var took = await _ring.UntilAsync(() => silos[0].Calls(silos[2], NodeState.Gone), 2 * LeaseRing.Noticed);

        Assert.InRange(took, TimeSpan.Zero, LeaseRing.Lease * (1.65 - 0.6));
        Assert.Null(silos[0].Way.LosesReadOf);
        Assert.Equal(NodeState.Living, silos[0].Cluster.Liveness.StateOf(silos[1].Node));
        await _ring.UntilAsync(() => silos[0].Calls(silos[1], NodeState.Gone), 2 * LeaseRing.Noticed);
        Assert.True(silos[0].Calls(silos[1], NodeState.Gone));
    });

    private void RenewBeforeTheFence(double later, bool blindly) => _scheduler.Run(async () =>
    {
        var silos = await _ring.StartAsync(2, TimeSpan.FromSeconds(1.3));
        await _ring.PassAsync((2 * LeaseRing.Lease) + TimeSpan.FromSeconds(later));
        Begin(silos[1], Trouble.WritesHeld);
        var isRenewed = false;
        silos[0].Way.FencesBlindly = blindly;
        silos[0].Way.BeforeFence = () =>
        {
            isRenewed = true;
            End(silos[1]);
            silos[1].Way.ReleaseLast();
        };

        await _ring.UntilAsync(() => isRenewed, 2 * LeaseRing.Noticed);
        Assert.True(isRenewed);
        await _ring.PassAsync(2 * LeaseRing.Lease);

        Assert.Equal(0, silos[1].Fenced);
        Assert.All(silos, silo => Assert.True(silo.MayServe));
    });

    private static void Begin(RingSilo silo, Trouble trouble) => silo.Way.Begin(trouble);

    private static void End(RingSilo silo) => silo.Way.End();
}
