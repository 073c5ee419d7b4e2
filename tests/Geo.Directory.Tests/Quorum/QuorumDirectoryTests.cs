using Geo.Directory.Tests.Silos;

namespace Geo.Directory.Tests.Quorum;

/// <summary>
/// Grains that are owned by majority: what an access costs, and what becomes of a silo that is cut off, stands still or ends.
/// </summary>
public sealed class QuorumDirectoryTests
{
    private static readonly GrainKey Key = new("grain", "k");

    private static readonly TimeSpan Trip = TimeSpan.FromMilliseconds(5);

    // Nobody has been called yet when a lease is there.
    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1);

    private readonly QuorumDirectoryWorld _world = new();

    private static ClusterId Us => QuorumDirectoryWorld.Us;

    private static ClusterId Eu => QuorumDirectoryWorld.Eu;

    private static ClusterId Asia => QuorumDirectoryWorld.Asia;

    private static TimeSpan Lease { get; } = new QuorumDirectoryOptions().LeaseDuration;

    [Fact]
    public void A_first_access_takes_two_trips_and_the_next_one_none() => Run(async (us, eu, _) =>
    {
        Assert.Equal(2 * Trip, await TimeAsync(() => AcquireAsync(us)));
        Assert.Equal(TimeSpan.Zero, await TimeAsync(() => AcquireAsync(us)));

        // One for the row, and one for the lease that it names, of which eu has not heard before.
        Assert.InRange(await TimeAsync(() => AcquireAsync(eu)), Trip, 2 * Trip);
        Assert.Equal(PlacementKind.Elsewhere, (await AcquireAsync(eu)).Kind);
        Assert.Equal(TimeSpan.Zero, await TimeAsync(() => AcquireAsync(eu)));
    });

    [Fact]
    public void A_look_finds_the_owner_by_the_row_and_takes_nothing() => Run(async (us, eu, _) =>
    {
        Assert.Null(await eu.Directory.FindAnewAsync(Key));
        await _world.AnsweredAsync(us, Key, Settled);

        var found = await eu.Directory.FindAnewAsync(Key);

        Assert.Equal((PlacementKind.Elsewhere, Us), (found?.Kind, found?.Cluster));
        Assert.Equal(PlacementKind.Here, (await us.Directory.FindAnewAsync(Key))?.Kind);
        Assert.False(eu.Has(Key));
    });

    [Fact]
    public void A_cluster_that_is_cut_off_stops_within_its_lease_and_its_grains_answer_elsewhere() => Run(async (us, eu, asia) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        _world.CutOff(Us);
        var others = Task.WhenAll(
            _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered), _world.AnsweredAsync(asia, Key, QuorumSchedule.Answered));
        await Task.Delay(Lease, _world.Scheduler.Time);
        Assert.False(us.Serves(Key));
        await others;
        Assert.True(eu.Serves(Key) || asia.Serves(Key));
    });

    [Fact]
    public void A_grain_that_nobody_has_called_answers_at_once_while_a_cluster_is_lost() => Run(async (us, eu, _) =>
    {
        _world.CutOff(Us);
        _world.Crash(us);
        Assert.InRange(await _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered), TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
    });

    [Fact]
    public void A_cluster_that_was_cut_off_returns_by_itself() => Run(async (us, eu, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        var epoch = us.EpochOf(Key);
        _world.CutOff(Us);
        await _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered);
        Assert.True(eu.EpochOf(Key) > epoch);
        _world.CutOff(Us, isCut: false);

        // The grain stays where it is, and us owns others again.
        await _world.AnsweredAsync(us, Key, Settled * 2);
        Assert.False(us.Has(Key));
        await _world.AnsweredAsync(us, new("grain", "other"), Settled);
        Assert.True(us.Serves(new("grain", "other")));
    });

    [Fact]
    public void A_cut_that_is_shorter_than_a_lease_moves_nothing() => Run(async (us, eu, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        _world.CutOff(Us);
        await Task.Delay(Lease * 0.6, _world.Scheduler.Time);
        _world.CutOff(Us, isCut: false);
        await _world.AnsweredAsync(eu, Key, Settled);
        Assert.True(us.Serves(Key));
    });

    [Fact]
    public void A_silo_that_stood_still_for_longer_than_its_lease_serves_nothing_when_it_goes_on() => Run(async (us, eu, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        us.Lane.Freeze();
        await _world.AnsweredAsync(eu, new("grain", "other"), Settled);
        await Task.Delay(Lease * 2, _world.Scheduler.Time);
        await _world.AnsweredAsync(eu, Key, Settled);
        Assert.True(eu.Serves(Key));
        us.Lane.Thaw();
        await _world.AnsweredAsync(us, Key, Settled * 2);
        Assert.True(eu.Serves(Key));
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_first_of_two_clocks_ends_a_lease(bool isSuspended) => _world.Scheduler.Run(async () =>
    {
        // Suspended, the monotonic clock stands still and the wall clock goes on; otherwise the wall clock is set back.
        var clock = new PausedClock(_world.Scheduler.Time);
        var (us, eu) = (_world.Start(Us, clock), _world.Start(Eu));
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(us, Key, Settled);
        us.Lane.Freeze();
        if (isSuspended)
        {
            clock.Pause();
        }
        else
        {
            clock.SetWall(-TimeSpan.FromHours(1));
        }

        await _world.AnsweredAsync(eu, new("grain", "other"), Settled);
        await Task.Delay(Lease * 2, _world.Scheduler.Time);
        Assert.False(us.Serves(Key));
        await _world.AnsweredAsync(eu, Key, Settled);
    });

    [Fact]
    public void Who_is_released_is_anybodys_at_once_and_the_next_epoch_is_higher() => Run(async (us, eu, asia) =>
    {
        long last = 0;
        foreach (var silo in new[] { us, eu, asia, us })
        {
            Assert.InRange(await _world.AnsweredAsync(silo, Key, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
            Assert.True(silo.EpochOf(Key) > last);
            last = silo.EpochOf(Key)!.Value;
            await silo.Lane.RunAsync(() => silo.ReleaseAsync(Key));
        }
    });

    [Fact]
    public void A_silo_that_ends_in_order_leaves_nobody_waiting_for_its_lease() => Run(async (us, eu, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        await us.Lane.RunAsync(async () =>
        {
            await us.DeactivateAsync(Key, "");
            await us.Directory.LeaveAsync();
        });
        _world.Crash(us);
        _world.CutOff(Us);
        Assert.InRange(await _world.AnsweredAsync(eu, Key, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
    });

    [Fact]
    public void A_silo_that_is_torn_down_keeps_its_lease_until_it_runs_out() => Run(async (us, eu, _) =>
    {
        // Its instance may still run: nobody has waited for its end.
        await _world.AnsweredAsync(us, Key, Settled);
        await us.Lane.RunAsync(async () => await us.Directory.DisposeAsync());
        _world.Network.Cut(Eu, Us);
        var took = await _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered);
        Assert.InRange(took, Lease * 0.6, QuorumSchedule.Answered);
        Assert.False(us.Serves(Key));
    });

    [Fact]
    public void A_lease_that_was_taken_unheard_and_is_over_for_others_is_taken_under_another_name() => _world.Scheduler.Run(async () =>
    {
        var eu = _world.Start(Eu);
        await Task.Delay(Settled, _world.Scheduler.Time);
        var us = _world.Start(Us);
        us.Way.Options.LostReplies = 1;
        await Task.Delay(Lease / 10, _world.Scheduler.Time);
        (us.Way.Options.LostReplies, us.Way.Options.Unreachable) = (0, true);
        Assert.Equal(2, await _world.Memory.ListAsync(LeaseRow.Prefix).CountAsync());

        // The others fence the lease off, and remove the fence when it is old.
        await Task.Delay(_world.Options.FenceRetention * 1.2, _world.Scheduler.Time);
        Assert.Equal(1, await _world.Memory.ListAsync(LeaseRow.Prefix).CountAsync());
        us.Way.Options.Unreachable = false;
        await _world.AnsweredAsync(us, Key, Lease * 2);

        // What the others hold for over must not be what the silo serves under: the world says whether both do.
        await _world.AnsweredAsync(eu, Key, Settled);
        Assert.True(us.Serves(Key));
    });

    [Fact]
    public void An_instance_moves_within_its_cluster_and_nobody_comes_between() => Run(async (us, eu, _) =>
    {
        var sibling = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(us, Key, Settled);
        var epoch = us.Directory.TenancyOf(Key);
        await us.Lane.RunAsync(() => us.DeactivateAsync(Key, ""));
        Assert.Null(await sibling.Lane.RunAsync(
            async () => await sibling.Directory.MoveAsync(Key, us.Node, sibling.Node, tenancy: epoch + 1)));
        Assert.NotNull(await sibling.Lane.RunAsync(async () => await sibling.Directory.MoveAsync(Key, us.Node, sibling.Node, epoch)));
        us.Directory.Leave(Key, epoch!.Value);
        Assert.True(sibling.Directory.TenancyOf(Key) > epoch);
        Assert.Equal(new(PlacementKind.Here, Us, sibling.Node), await AcquireAsync(us));
        await _world.AnsweredAsync(eu, Key, Settled);
        Assert.True(sibling.Serves(Key));
    });

    [Fact]
    public void An_owner_that_lives_and_cannot_be_reached_is_not_taken_from() => Run(async (us, eu, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        _world.Network.Cut(Us, Eu);
        _world.Network.Cut(Eu, Us);
        var began = _world.Scheduler.Time.Elapsed;
        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => AcquireAsync(eu));
        Assert.Contains("cluster us owns it", refused.Message, StringComparison.Ordinal);
        Assert.InRange(_world.Scheduler.Time.Elapsed - began, Lease, Lease * 2.1);
        Assert.True(us.Serves(Key));
    });

    [Fact]
    public void Without_a_majority_a_call_is_refused_in_bounded_time() => Run(async (us, _, _) =>
    {
        _world.CutOff(Us);
        await Task.Delay(Lease * 2, _world.Scheduler.Time);
        var began = _world.Scheduler.Time.Elapsed;
        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => AcquireAsync(us));
        Assert.Contains("no lease", refused.Message, StringComparison.Ordinal);
        Assert.InRange(_world.Scheduler.Time.Elapsed - began, TimeSpan.Zero, Lease * 2);
    });

    [Fact]
    public void What_becomes_of_a_grain_is_remembered_by_who_did_it() => Run(async (us, eu, _) =>
    {
        var sibling = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(us, Key, Settled);
        await us.Lane.RunAsync(() => us.MoveAsync(Key, sibling));
        await _world.AnsweredAsync(sibling, Key, Settled);
        await sibling.Lane.RunAsync(() => sibling.ReleaseAsync(Key));
        await _world.AnsweredAsync(us, Key, Settled);
        _world.CutOff(Us);
        await _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered);

        // Its lease is over, which it finds out when it hears of others again.
        _world.CutOff(Us, isCut: false);
        await Task.Delay(Lease, _world.Scheduler.Time);
        Assert.Equal([MoveKind.Lost, MoveKind.Acquired, MoveKind.Acquired], KindsOf(us));
        Assert.Equal([MoveKind.Released, MoveKind.Migrated], KindsOf(sibling));
        Assert.Equal(new GrainPlace(Us, us.Node), sibling.Moves.Newest(9, Key)[1].From);
        var taken = Assert.Single(eu.Moves.Newest(9, Key));
        Assert.Equal((MoveKind.TakenOver, new GrainPlace(Us, us.Node), new GrainPlace(Eu, eu.Node)), (taken.Kind, taken.From, taken.To));

        static IEnumerable<MoveKind> KindsOf(QuorumSilo silo) => silo.Moves.Newest(9, Key).Select(move => move.Kind);
    });

    [Fact]
    public void A_row_that_cannot_be_read_is_nobodys_to_take() => Run(async (us, _, _) =>
    {
        await _world.Memory.WriteAsync(OwnerRow.KeyOf(Key), new byte[] { 9, 9 }, null);
        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => AcquireAsync(us));
        Assert.Contains("cannot be read", refused.Message, StringComparison.Ordinal);
    });

    [Fact]
    public void A_row_is_read_as_it_was_written()
    {
        var row = new OwnerRow(Us, "us/1", "us/us/1/2", 77, IsReleased: true);
        Assert.Equal(row, OwnerRow.Decode(row.Encode()));
        Assert.Throws<GeoSerializationException>(() => OwnerRow.Decode(row.Encode().AsSpan()[..^3]));
    }

    private void Run(Func<QuorumSilo, QuorumSilo, QuorumSilo, Task> test) => _world.Scheduler.Run(async () =>
    {
        var (us, eu, asia) = (_world.Start(Us), _world.Start(Eu), _world.Start(Asia));
        await Task.Delay(Settled, _world.Scheduler.Time);
        await test(us, eu, asia);
    });

    private static Task<Placement> AcquireAsync(QuorumSilo silo) => silo.Lane.RunAsync(
        async () => await silo.Directory.AcquireAsync(Key, silo.Node, SingleInstanceMode.Quorum));

    private async Task<TimeSpan> TimeAsync(Func<Task> work)
    {
        var began = _world.Scheduler.Time.Elapsed;
        await work();
        return _world.Scheduler.Time.Elapsed - began;
    }
}
