using Geo.Testing;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>A silo and those who fence it off, in virtual time.</summary>
public sealed class SiloLeaseTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(6);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private readonly SimulationScheduler _scheduler = new();
    private readonly InMemoryConditionalStore _rows = new();

    private VirtualTime Time => _scheduler.Time;

    [Fact]
    public void A_lease_runs_out_when_it_is_not_renewed_and_comes_back_with_the_next_renewal() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        Assert.False(lease.MayServe);

        await lease.RenewAsync(CancellationToken.None);
        await PassAsync(Duration - Tick);
        Assert.True(lease.MayServe);
        await PassAsync(Tick);
        Assert.False(lease.MayServe);

        await lease.RenewAsync(CancellationToken.None);
        Assert.True(lease.MayServe);
    });

    [Fact]
    public void Who_calls_a_silo_that_stood_still_waits_for_its_next_renewal() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        Assert.False(await lease.MayServeSoonAsync());
        await lease.RenewAsync(CancellationToken.None);
        await PassAsync(Duration * 2);
        Assert.False(lease.MayServe);

        var serves = lease.MayServeSoonAsync().AsTask();
        var another = lease.MayServeSoonAsync().AsTask();
        await PassAsync(Duration / 3);
        Assert.False(serves.IsCompleted);
        await lease.RenewAsync(CancellationToken.None);
        Assert.True(await serves);
        Assert.True(await another);
    });

    [Fact]
    public void Nobody_waits_for_a_renewal_that_does_not_come_or_fails_or_after_the_lease_is_over() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        await PassAsync(Duration * 2);
        var late = lease.MayServeSoonAsync().AsTask();
        await PassAsync(Duration - Tick);
        Assert.True(late.IsCompleted);
        Assert.False(await late);

        // Who comes next does not wait for what did not come, until a renewal has taken effect again.
        var next = lease.MayServeSoonAsync();
        Assert.True(next.IsCompletedSuccessfully);
        Assert.False(await next);
        await lease.RenewAsync(CancellationToken.None);
        await PassAsync(Duration * 2);

        // The cluster declares it dead while somebody waits.
        var serves = lease.MayServeSoonAsync().AsTask();
        using var fences = Fences();
        while (!fences.IsGone("node", isDead: true))
        {
            await PassAsync(TimeSpan.FromMilliseconds(100));
        }

        await lease.RenewAsync(CancellationToken.None);
        Assert.False(await serves);
        var ended = lease.MayServeSoonAsync();
        Assert.True(ended.IsCompletedSuccessfully);
        Assert.False(await ended);
    });

    /// <summary>What was sent before the silo stood still takes effect, too late to be of use; the next one counts.</summary>
    [Fact]
    public void A_renewal_that_was_under_way_when_the_silo_stood_still_sends_nobody_away() => _scheduler.Run(async () =>
    {
        TaskCompletionSource? held = null;
        var rows = new TroubledStore(_rows) { BeforeWrite = () => held?.Task ?? Task.CompletedTask };
        var lease = new SiloLease(rows, "node", "eu,us", Duration, Time, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        held = new TaskCompletionSource();
        var old = lease.RenewAsync(CancellationToken.None);
        await PassAsync(Duration * 2);
        var serves = lease.MayServeSoonAsync().AsTask();
        held.SetResult();
        held = null;
        await old;
        Assert.False(lease.MayServe);
        Assert.False(serves.IsCompleted);

        await lease.RenewAsync(CancellationToken.None);
        Assert.True(await serves);
    });

    [Fact]
    public void Who_waits_for_a_silo_hears_at_once_that_it_is_declared_dead_or_leaves() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        await PassAsync(Duration * 2);
        var serves = lease.MayServeSoonAsync().AsTask();
        lease.Fence();
        var before = Time.Elapsed;
        Assert.False(await serves);
        Assert.Equal(before, Time.Elapsed);
    });

    [Fact]
    public void Nobody_waits_for_a_silo_that_has_given_its_lease_back() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        await lease.LeaveAsync(CancellationToken.None);
        var left = lease.MayServeSoonAsync();
        Assert.True(left.IsCompletedSuccessfully);
        Assert.False(await left);
    });

    [Fact]
    public void A_frozen_silo_has_no_lease_by_the_time_its_grains_can_be_taken_over_and_never_gets_one_again() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        while (!fences.IsGone("node", isDead: true))
        {
            Assert.True(Time.Elapsed < Duration * 2);
            await PassAsync(TimeSpan.FromMilliseconds(100));
        }

        Assert.False(lease.MayServe);
        await lease.RenewAsync(CancellationToken.None);
        Assert.False(lease.MayServe);
        Assert.True(lease.IsFenced);
    });

    [Fact]
    public void A_silo_that_renews_just_before_the_fence_has_run_out_when_the_wait_ends() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        Assert.False(fences.IsGone("node", isDead: true));
        await PassAsync(Duration - Tick);
        Assert.True(lease.MayServe);
        Assert.False(fences.IsGone("node", isDead: true));
        await PassAsync(Duration);

        Assert.True(fences.IsGone("node", isDead: true));
        Assert.False(lease.MayServe);
    });

    [Fact]
    public void A_silo_that_the_membership_does_not_know_yet_is_not_fenced_while_it_renews() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        for (var second = 0; second < 60; second++)
        {
            Assert.False(fences.IsGone("node", isDead: false));
            await PassAsync(TimeSpan.FromSeconds(1));
            await lease.RenewAsync(CancellationToken.None);
        }

        Assert.True(lease.MayServe);
    });

    [Fact]
    public void A_silo_that_nobody_knows_any_more_is_gone_when_its_lease_has_run_out() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        Assert.False(fences.IsGone("node", isDead: false));
        await PassAsync(Duration);
        Assert.False(lease.MayServe);
        Assert.False(fences.IsGone("node", isDead: false));
        await PassAsync(Duration * 0.15);

        Assert.True(fences.IsGone("node", isDead: false));
        await lease.RenewAsync(CancellationToken.None);
        Assert.True(lease.IsFenced);
    });

    [Fact]
    public void A_silo_without_a_row_has_no_lease_and_is_gone_at_once() => _scheduler.Run(async () =>
    {
        using var fences = Fences();

        Assert.False(fences.IsGone("node", isDead: true));
        await PassAsync(Tick);

        Assert.True(fences.IsGone("node", isDead: true));
    });

    [Fact]
    public void A_machine_that_was_paused_wakes_without_a_lease_though_its_monotonic_clock_stood_still() => _scheduler.Run(async () =>
    {
        var paused = new PausedClock(Time);
        var lease = new SiloLease(_rows, "node", "eu,us", Duration, paused, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        paused.Pause();
        while (!fences.IsGone("node", isDead: true))
        {
            await PassAsync(TimeSpan.FromMilliseconds(100));
        }

        Assert.False(lease.MayServe);
    });

    [Fact]
    public void A_process_that_stood_still_after_its_wall_clock_was_set_back_goes_on_without_a_lease_before_any_timer_runs() =>
        _scheduler.Run(async () =>
        {
            var clock = new PausedClock(Time) { HasTimers = false };
            var lease = new SiloLease(_rows, "node", "eu,us", Duration, clock, NullLogger.Instance);
            await lease.RenewAsync(CancellationToken.None);

            clock.SetWall(TimeSpan.FromHours(-1));
            await PassAsync(Duration);

            Assert.False(lease.MayServe);
        });

    [Fact]
    public void A_wall_clock_that_is_set_back_does_not_make_a_lease_last_longer() => _scheduler.Run(async () =>
    {
        var clock = new PausedClock(Time);
        var lease = new SiloLease(_rows, "node", "eu,us", Duration, clock, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);

        clock.SetWall(TimeSpan.FromHours(-1));
        Assert.True(lease.MayServe);
        await PassAsync(Duration);

        Assert.False(lease.MayServe);
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_lease_of_longer_duration_has_run_out_when_a_silo_with_a_shorter_takes_over(bool isDead) => _scheduler.Run(async () =>
    {
        var lease = new SiloLease(_rows, "node", "eu,us", Duration * 10, Time, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        while (!fences.IsGone("node", isDead))
        {
            Assert.True(Time.Elapsed < Duration * 20);
            await PassAsync(TimeSpan.FromMilliseconds(100));
        }

        Assert.False(lease.MayServe);
    });

    [Fact]
    public void A_second_silo_that_finds_the_fence_of_a_longer_lease_waits_for_it_too() => _scheduler.Run(async () =>
    {
        var lease = new SiloLease(_rows, "node", "eu,us", Duration * 10, Time, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        using var first = Fences();
        Assert.False(first.IsGone("node", isDead: true));
        await PassAsync(Tick);
        using var second = Fences();

        while (!second.IsGone("node", isDead: true))
        {
            await PassAsync(TimeSpan.FromMilliseconds(100));
        }

        Assert.False(lease.MayServe);
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Of_two_that_fence_a_silo_off_at_one_time_neither_takes_the_others_fence_for_a_sign_of_life(bool isDead) =>
        _scheduler.Run(async () =>
        {
            var lease = Lease();
            await lease.RenewAsync(CancellationToken.None);
            var slow = new LatencyConditionalStore(_rows, LatencyDistribution.Fixed(Tick), Time);
            using var one = Fences(slow);
            using var other = Fences(slow);

            var ends = await Task.WhenAll(
                one.EndOfAsync("node", isDead, CancellationToken.None), other.EndOfAsync("node", isDead, CancellationToken.None));

            Assert.Equal([SiloEnd.Gone, SiloEnd.Gone], ends);
            Assert.False(lease.MayServe);
        });

    [Fact]
    public void Whether_a_silo_has_ended_is_unknown_while_the_store_does_not_answer() => _scheduler.Run(async () =>
    {
        using var fences = Fences(new UnansweringStore());

        Assert.Equal(SiloEnd.Unknown, await fences.EndOfAsync("node", isDead: true, CancellationToken.None));
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Whether_a_silo_has_ended_is_unknown_while_nobody_hears_what_became_of_its_fence(bool isDead) => _scheduler.Run(async () =>
    {
        await Lease().RenewAsync(CancellationToken.None);
        using var fences = Fences(new TroubledStore(_rows) { LosesWrites = _ => true });

        Assert.Equal(SiloEnd.Unknown, await fences.EndOfAsync("node", isDead, CancellationToken.None));
    });

    [Fact]
    public void A_silo_that_gives_its_lease_back_while_it_is_given_the_time_to_renew_is_gone() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences();

        var end = fences.EndOfAsync("node", isDead: false, CancellationToken.None);
        await PassAsync(Duration / 2);
        await lease.LeaveAsync(CancellationToken.None);

        Assert.Equal(SiloEnd.Gone, await end);
    });

    [Fact]
    public void A_silo_that_renews_faster_than_it_can_be_fenced_off_is_not_waited_for_without_end() => _scheduler.Run(async () =>
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = Fences(new TroubledStore(_rows) { BeforeWrite = () => lease.RenewAsync(CancellationToken.None) });

        Assert.Equal(SiloEnd.Living, await fences.EndOfAsync("node", isDead: true, CancellationToken.None));
    });

    [Fact]
    public void A_store_that_throws_does_not_end_the_renewals() => _scheduler.Run(async () =>
    {
        var rows = new ThrowingStore(_rows);
        var lease = new SiloLease(rows, "node", "eu,us", Duration, Time, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        using var stop = new CancellationTokenSource();
        var renewing = lease.RenewUntilAsync(stop.Token);

        rows.Throws = true;
        await PassAsync(Duration * 1.5);
        Assert.False(lease.MayServe);
        rows.Throws = false;
        await PassAsync(Duration);

        Assert.True(lease.MayServe);
        stop.Cancel();
        await renewing;
    });

    [Fact]
    public void A_lease_is_taken_by_one_write_and_given_up_where_that_has_left_no_row() => _scheduler.Run(async () =>
    {
        var writes = 0;
        var rows = new TroubledStore(_rows) { LosesWrites = _ => ++writes == 1 };
        var lease = new SiloLease(rows, "node", "eu,us", Duration, Time, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        Assert.False(lease.IsOver);
        await lease.RenewUntilAsync(CancellationToken.None);

        Assert.Equal((1, true, false, false), (writes, lease.IsOver, lease.IsFenced, lease.MayServe));
        Assert.Equal(0, await _rows.ListAsync(LeaseRow.Prefix).CountAsync());
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_lease_that_cannot_be_read_keeps_nobody_from_fencing_its_silo_off(bool isDead) => _scheduler.Run(async () =>
    {
        byte[][] damaged = [[77], new LeaseRow { Duration = TimeSpan.MaxValue, WrittenAt = Time.GetUtcNow() }.Encode()];
        using var fences = Fences();
        foreach (var bytes in damaged)
        {
            var (node, began) = ($"damaged{bytes.Length}", Time.Elapsed);
            await _rows.WriteAsync(LeaseRow.KeyOf(node), bytes, null);

            Assert.Equal(SiloEnd.Gone, await fences.EndOfAsync(node, isDead, CancellationToken.None));

            // A silo that still lived could not renew any more.
            Assert.True(LeaseRow.Decode((await _rows.ReadAsync(LeaseRow.KeyOf(node))).Value.Span).IsFenced);
            Assert.InRange(Time.Elapsed - began, Duration, Duration * 1.2);
        }
    });

    [Fact]
    public void Old_fences_alone_are_removed_and_a_silo_whose_fence_is_gone_is_fenced_all_the_same() => _scheduler.Run(async () =>
    {
        var (dead, living) = (Lease(), new SiloLease(_rows, "living", "eu,us", Duration, Time, NullLogger.Instance));
        await dead.RenewAsync(CancellationToken.None);
        await living.RenewAsync(CancellationToken.None);
        using var fences = Fences();
        Assert.False(fences.IsGone("node", isDead: true));
        await PassAsync(TimeSpan.FromHours(23));
        var old = new OldFences(_rows, TimeSpan.FromDays(1), Time, NullLogger.Instance);

        await old.RemoveAsync(CancellationToken.None);
        Assert.Equal(2, await _rows.ListAsync(LeaseRow.Prefix).CountAsync());
        await PassAsync(TimeSpan.FromHours(2));
        await old.RemoveAsync(CancellationToken.None);

        Assert.Equal(LeaseRow.KeyOf("living"), (await _rows.ListAsync(LeaseRow.Prefix).SingleAsync()).Key);
        await dead.RenewAsync(CancellationToken.None);
        Assert.True(dead.IsFenced);
        await living.RenewAsync(CancellationToken.None);
        Assert.True(living.MayServe);
    });

    [Fact]
    public void A_damaged_fence_keeps_no_other_one_from_being_removed() => _scheduler.Run(async () =>
    {
        var damaged = new LeaseRow { IsFenced = true, Duration = Duration, WrittenAt = DateTimeOffset.MaxValue };
        await _rows.WriteAsync(LeaseRow.KeyOf("damaged"), damaged.Encode(), null);
        await _rows.WriteAsync(LeaseRow.KeyOf("old"), (damaged with { WrittenAt = Time.GetUtcNow() }).Encode(), null);
        await PassAsync(TimeSpan.FromHours(24));
        var old = new OldFences(_rows, TimeSpan.FromDays(1), Time, NullLogger.Instance);
        await old.RemoveAsync(CancellationToken.None);
        await PassAsync(TimeSpan.FromHours(1));

        await old.RemoveAsync(CancellationToken.None);

        Assert.Equal(LeaseRow.KeyOf("damaged"), (await _rows.ListAsync(LeaseRow.Prefix).SingleAsync()).Key);
    });

    private Task PassAsync(TimeSpan time) => Task.Delay(time, Time);

    private SiloFences Fences(IConditionalStore? rows = null)
    {
        var fences = new SiloFences(rows ?? _rows, Duration, Time, NullLogger.Instance);
        fences.Start();
        return fences;
    }

    private SiloLease Lease() => new(_rows, "node", "eu,us", Duration, Time, NullLogger.Instance);
}
