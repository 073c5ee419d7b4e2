namespace Geo.Directory.Tests.Quorum;

/// <summary>
/// Clusters that are joining or leaving own no grain by majority: what they have they give up in order, and a member takes the rest.
/// </summary>
public sealed class QuorumDrainTests
{
    private static readonly GrainKey Key = new("grain", "k"), Other = new("grain", "other");

    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1);

    private QuorumDirectoryWorld _world = new();

    private static ClusterId Us => QuorumDirectoryWorld.Us;

    [Fact]
    public void C8_a_cluster_that_leaves_gives_up_its_grains_in_order_and_its_callers_find_them_elsewhere() => Run(async (us, eu) =>
    {
        foreach (var key in new[] { Key, Other })
        {
            await _world.AnsweredAsync(us, key, Settled);
        }

        await _world.AnsweredAsync(eu, Key, Settled);
        Leave(Us);
        Assert.Equal(2, (await DrainAsync(us)).Held);
        Assert.False(us.Has(Key) || us.Has(Other));
        Assert.Equal(new DrainPass(0), await DrainAsync(us));

        // At once: nobody waits for the lease of us.
        Assert.InRange(await _world.AnsweredAsync(eu, Key, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(200));
        Assert.InRange(await _world.AnsweredAsync(us, Key, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(200));
        Assert.InRange(await _world.AnsweredAsync(us, Other, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(200));
        Assert.False(us.Has(Key) || us.Has(Other));
        Assert.Equal(new DrainPass(0), await DrainAsync(us));
    });

    [Fact]
    public void C8_a_cluster_that_joins_or_leaves_takes_no_grain_and_a_member_answers_for_it() => Run(async (us, eu) =>
    {
        Leave(Us);
        await _world.AnsweredAsync(us, Key, Settled);
        Assert.False(us.Has(Key));
        Assert.Contains(_world.Silos, s => s.Cluster != Us && s.Serves(Key));
        Assert.Equal(new DrainPass(0), await DrainAsync(us));
    });

    [Fact]
    public void C8_a_grain_is_given_by_its_row_to_a_member_that_remembers_it_elsewhere() => Run(async (us, eu) =>
    {
        var asia = _world.Silos.Single(s => s.Cluster == QuorumDirectoryWorld.Asia);
        foreach (var caller in new[] { us, eu, asia })
        {
            await _world.AnsweredAsync(caller, Key, Settled);
        }

        // Both members remember that us has it, and the lease of us goes on.
        await us.Lane.RunAsync(() => us.ReleaseAsync(Key));
        Leave(Us);
        Assert.InRange(await _world.AnsweredAsync(us, Key, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(300));
        Assert.False(us.Has(Key));
    });

    [Fact]
    public void C8_a_grain_is_given_to_no_silo_that_does_not_serve_its_class() => Run(async (us, eu) =>
    {
        _world.Idle = QuorumDirectoryWorld.Eu;
        Leave(Us);
        foreach (var key in Enumerable.Range(0, 8).Select(i => new GrainKey("grain", $"{i}")))
        {
            await us.Lane.RunAsync(async () => await us.Directory.AcquireAsync(key, us.Node, SingleInstanceMode.Quorum));
            Assert.Null(eu.Directory.HeldOf(key));
        }
    });

    [Fact]
    public void C8_a_grain_that_was_being_taken_when_its_cluster_began_to_leave_is_given_back() => Run(async (us, eu) =>
    {
        var taking = us.Lane.RunAsync(async () => await us.Directory.AcquireAsync(Key, us.Node, SingleInstanceMode.Quorum));
        await Task.Delay(TimeSpan.FromMilliseconds(7), _world.Scheduler.Time);
        Leave(Us);
        Assert.Equal(PlacementKind.Elsewhere, (await taking).Kind);
        Assert.Equal(new DrainPass(0), await DrainAsync(us));
    });

    [Fact]
    public void C8_a_grain_that_is_still_being_taken_is_not_given_back_behind_the_back_of_who_takes_it() => Run(async (us, eu) =>
    {
        // Read after 0.4 s, written after 0.6, answered after 0.8: meanwhile the cluster leaves, and returns.
        (us.Way.Options.MinDelay, us.Way.Options.MaxDelay) = (TimeSpan.FromSeconds(0.4), TimeSpan.FromSeconds(0.4));
        var taking = us.Lane.RunAsync(() => us.CallAsync(Key));
        await Task.Delay(TimeSpan.FromSeconds(0.65), _world.Scheduler.Time);
        (us.Way.Options.MinDelay, us.Way.Options.MaxDelay) = (TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(1));
        Leave(Us);
        Assert.Equal(1, (await DrainAsync(us)).Held);
        _world.Clusters = null;
        Assert.True(await taking);
        await _world.AnsweredAsync(eu, Key, Settled);
        Assert.True(us.Serves(Key));
    });

    [Fact]
    public void C8_without_a_member_within_reach_the_call_is_refused_and_says_why() => Run(async (us, eu) =>
    {
        Leave(Us);
        _world.Network.Cut(Us, QuorumDirectoryWorld.Eu);
        _world.Network.Cut(Us, QuorumDirectoryWorld.Asia);
        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => us.Lane.RunAsync(
            async () => await us.Directory.AcquireAsync(Key, us.Node, SingleInstanceMode.Quorum)));
        Assert.Contains("may own nothing", refused.Message, StringComparison.Ordinal);
    });

    [Fact]
    public void C8_a_call_that_runs_is_waited_for_and_no_other_begins_on_its_instance() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        var running = us.Lane.RunAsync(() => us.RunAsync(Key));
        Leave(Us);
        var draining = DrainAsync(us);
        var late = us.Lane.RunAsync(() => us.RunAsync(Key));
        Assert.True(await running);
        Assert.False(await late);
        Assert.Equal(1, (await draining).Held);
        Assert.False(us.Has(Key));
        await _world.AnsweredAsync(eu, Key, Settled);
    });

    [Fact]
    public void C8_the_grains_of_a_sibling_are_counted_and_a_damaged_row_holds_nothing_up() => Run(async (us, eu) =>
    {
        var sibling = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(sibling, Key, Settled);
        await _world.Memory.WriteAsync(OwnerRow.KeyOf(Other), new byte[] { 9, 9 }, null);
        Leave(Us);
        Assert.Equal(1, (await DrainAsync(us)).Held);
        Assert.Equal(1, (await DrainAsync(us)).Held);
        Assert.Equal(1, (await DrainAsync(sibling)).Held);
        Assert.Equal(new DrainPass(0), await DrainAsync(us));
    });

    [Fact]
    public void C8_a_cluster_that_leaves_twice_ends_the_instance_of_the_second_time_too()
    {
        // A call outlasts the wait of a pass.
        _world = new() { Limits = new() { DeactivationTimeout = TimeSpan.FromMilliseconds(5) } };
        Run(async (us, eu) =>
        {
            await _world.AnsweredAsync(us, Key, Settled);
            var (running, epoch) = (us.Lane.RunAsync(() => us.RunAsync(Key)), us.EpochOf(Key));
            Leave(Us);
            Assert.NotNull((await DrainAsync(us)).Why);
            Assert.True(await running);
            await Task.Delay(Settled, _world.Scheduler.Time);
            Assert.False(us.Has(Key));

            // The host's own release, before the next pass.
            await us.Lane.RunAsync(async () => await us.Directory.ReleaseAsync(Key, us.Node, epoch));
            _world.Clusters = null;
            await _world.AnsweredAsync(us, Key, Settled);
            Assert.True(us.Has(Key));
            Leave(Us);
            Assert.Equal(1, (await DrainAsync(us)).Held);
            await _world.AnsweredAsync(eu, Key, Settled);
            Assert.False(us.Has(Key));
        });
    }

    [Fact]
    public void C8_a_member_that_finds_an_owner_whose_end_it_does_not_know_of_yet_is_not_asked_without_a_pause()
    {
        _world.Scheduler.Run(async () =>
        {
            var us = _world.Start(Us);
            var (asked, eu) = (0, _world.Scheduler.CreateLane("eu"));
            using var service = _world.Network.Join(QuorumDirectoryWorld.Eu, eu).Handle("geo.quorum.take", (_, _) =>
            {
                asked++;
                return new(new byte[] { 1 });
            });
            Leave(Us);
            await Task.Delay(Settled, _world.Scheduler.Time);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => us.Lane.RunAsync(
                async () => await us.Directory.AcquireAsync(Key, us.Node, SingleInstanceMode.Quorum)));
            Assert.InRange(asked, 2, 1 + (_world.Limits.AcquireTimeout / (_world.Options.LeaseDuration / 20)));
        });
    }

    [Fact]
    public void A_drain_ends_nothing_while_the_lease_is_overdue() => Run(async (us, eu) =>
    {
        var keys = Enumerable.Range(0, 20).Select(i => new GrainKey("grain", $"{i}")).ToArray();
        foreach (var key in keys)
        {
            await _world.AnsweredAsync(us, key, Settled);
        }

        // Renewals stand behind something, as behind what a drain writes; the lease has not run out yet.
        us.Way.Options.Unreachable = true;
        while (us.Directory.Lease!.Age < _world.Options.LeaseDuration * 0.7)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10), _world.Scheduler.Time);
        }

        Leave(Us);
        var draining = DrainAsync(us);
        await Task.Delay(TimeSpan.FromMilliseconds(100), _world.Scheduler.Time);
        Assert.True(us.Directory.MayServe && Array.TrueForAll(keys, us.Has));

        us.Way.Options.Unreachable = false;
        Assert.Equal(keys.Length, (await draining).Held);
        Assert.False(Array.Exists(keys, us.Has));
    });

    [Fact]
    public void C8_a_grain_whose_instance_is_being_ended_stays_so_when_it_is_found_to_be_used_after_all() => Run(async (us, eu) =>
    {
        _world.Idle = QuorumDirectoryWorld.Asia;
        Leave(Us);
        await us.Lane.RunAsync(async () => await us.Directory.AcquireAsync(Key, us.Node, SingleInstanceMode.Quorum));
        Assert.NotNull(eu.Directory.HeldOf(Key));

        // A minute later an instance begins after the first look and before the second, and by that one the cluster leaves.
        var looks = 0;
        Task<bool> called = Task.FromResult(false);
        Task<DrainPass> draining = Task.FromResult<DrainPass>(default);
        eu.Looked = _ =>
        {
            switch (++looks)
            {
                case 1:
                    called = eu.RunAsync(Key);
                    break;
                case 2:
                    draining = eu.Directory.DrainAsync(CancellationToken.None);
                    break;
            }
        };
        while (looks < 2)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(1), _world.Scheduler.Time);
        }

        Assert.Null(eu.Directory.HeldOf(Key));
        Assert.True(await called);
        Assert.Equal(new DrainPass(1), await draining);
        Assert.False(eu.Has(Key));
    });

    [Fact]
    public void A_drain_waits_for_no_renewal_for_longer_than_three_take() => _world.Scheduler.Run(async () =>
    {
        var clock = new StandingClock(_world.Scheduler.Time);
        var us = _world.Start(Us, clock);
        await _world.AnsweredAsync(us, Key, Settled);
        us.Way.Options.Unreachable = true;
        while (us.Directory.Lease!.Age < _world.Options.LeaseDuration * 0.7)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10), _world.Scheduler.Time);
        }

        // It neither is renewed nor runs out.
        clock.Stand();
        Leave(Us);
        var draining = DrainAsync(us);
        await Task.Delay(_world.Options.LeaseDuration * 0.9, _world.Scheduler.Time);
        Assert.True(us.Has(Key));
        await Task.Delay(_world.Options.LeaseDuration * 5, _world.Scheduler.Time);
        Assert.True(draining.IsCompleted);
        Assert.Equal(1, (await draining).Held);
        Assert.False(us.Has(Key));
    });

    private static Task<DrainPass> DrainAsync(QuorumSilo silo) =>
        silo.Lane.RunAsync(() => silo.Directory.DrainAsync(CancellationToken.None));

    private void Leave(ClusterId leaving) => _world.Clusters = new(
        new ConfigurationStamp(2, 0),
        new[] { Us, QuorumDirectoryWorld.Eu, QuorumDirectoryWorld.Asia }
            .ToDictionary(c => c, c => c == leaving ? ClusterStage.Leaving : ClusterStage.Member));

    private void Run(Func<QuorumSilo, QuorumSilo, Task> test) => _world.Scheduler.Run(async () =>
    {
        var (us, eu) = (_world.Start(Us), _world.Start(QuorumDirectoryWorld.Eu));
        _world.Start(QuorumDirectoryWorld.Asia);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await test(us, eu);
    });

    /// <summary>Both clocks of a machine, which may stand still while its timers run.</summary>
    private sealed class StandingClock(TimeProvider time) : TimeProvider
    {
        private (long Timestamp, DateTimeOffset Now)? _stands;

        public override long TimestampFrequency => time.TimestampFrequency;

        public void Stand() => _stands = (time.GetTimestamp(), time.GetUtcNow());

        public override long GetTimestamp() => _stands?.Timestamp ?? time.GetTimestamp();

        public override DateTimeOffset GetUtcNow() => _stands?.Now ?? time.GetUtcNow();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            time.CreateTimer(callback, state, dueTime, period);
    }
}
