namespace Geo.Directory.Tests.Quorum;

/// <summary>
/// Grains whose owner is gone while its cluster answers, or whose lease nobody can read: calls wait, and nobody waits for ever.
/// </summary>
public sealed class QuorumTakeOverTests
{
    private static readonly GrainKey Key = new("grain", "k");

    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1);

    private readonly QuorumDirectoryWorld _world = new();

    private static ClusterId Us => QuorumDirectoryWorld.Us;

    private static TimeSpan Lease { get; } = new QuorumDirectoryOptions().LeaseDuration;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Q9_one_call_waits_for_the_lease_of_an_owner_that_was_killed_and_began_again(bool isKnown) => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        if (isKnown)
        {
            await _world.AnsweredAsync(eu, Key, Settled);
        }

        _world.Crash(us);
        var again = _world.Start(Us);
        await Task.Delay(Lease / 10, _world.Scheduler.Time);
        var began = _world.Scheduler.Time.Elapsed;
        Assert.True(await eu.Lane.RunAsync(() => eu.CallAsync(Key)), $"refused after {_world.Scheduler.Time.Elapsed - began}");
        Assert.InRange(_world.Scheduler.Time.Elapsed - began, Lease / 2, QuorumSchedule.Answered);
        Assert.True(eu.Serves(Key));
        Assert.False(again.Serves(Key));
    });

    [Fact]
    public void Q9_an_owner_that_is_said_not_to_be_there_and_renews_its_lease_is_asked_again() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        await _world.AnsweredAsync(eu, Key, Settled);
        eu.Directory.ForgetCached(Key, Us);
        await _world.AnsweredAsync(eu, Key, Lease);
        Assert.True(us.Serves(Key));

        // What was said once is not held against it.
        Assert.InRange(await _world.AnsweredAsync(eu, Key, Settled), TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
    });

    [Fact]
    public void Q4_a_lease_that_has_become_unreadable_ends_as_any_other() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        await DamageLeaseAsync(us);
        await _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered);
        Assert.True(eu.Serves(Key));
    });

    [Fact]
    public void Q4_one_that_was_never_seen_readable_ends_after_the_longest_that_a_lease_may_last() => _world.Scheduler.Run(async () =>
    {
        var us = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(us, Key, Settled);
        await DamageLeaseAsync(us);
        var eu = _world.Start(QuorumDirectoryWorld.Eu);
        await Task.Delay(TimeSpan.FromMinutes(65), _world.Scheduler.Time);
        Assert.False(await eu.Lane.RunAsync(() => eu.CallAsync(Key)));
        await Task.Delay(TimeSpan.FromMinutes(2), _world.Scheduler.Time);
        Assert.True(await eu.Lane.RunAsync(() => eu.CallAsync(Key)));
    });

    [Fact]
    public void Q4_a_call_that_was_carried_to_an_owner_ends_with_the_owners_lease() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        await _world.AnsweredAsync(eu, Key, Settled);
        us.Lane.Post(() => us.Messenger.Handle("silence", async (_, token) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, _world.Scheduler.Time, token);
            return default;
        }));
        var directories = new InstanceDirectories(null!, eu.Directory);
        var call = eu.Lane.RunAsync(async () => await directories.RequestAsync(
            eu.Messenger, Us, Key, "silence", default, new MessageOptions(Timeout: TimeSpan.FromMinutes(1)), CancellationToken.None));
        await Task.Delay(Settled, _world.Scheduler.Time);
        Assert.False(call.IsCompleted);

        _world.Crash(us);
        var began = _world.Scheduler.Time.Elapsed;
        var reply = await call;
        Assert.Equal(ReplyOutcome.Unknown, reply.Outcome);
        Assert.Contains("lease", reply.Reason, StringComparison.Ordinal);
        Assert.InRange(_world.Scheduler.Time.Elapsed - began, Lease / 2, Lease * 1.4);
    });

    [Fact]
    public void Q4_a_call_goes_on_where_the_instance_was_passed_on_to_another_silo_of_the_cluster() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        await _world.AnsweredAsync(eu, Key, Settled);
        var other = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);
        var answer = new TaskCompletionSource();
        other.Lane.Post(() => other.Messenger.Handle("late", async (_, token) =>
        {
            await answer.Task;
            return default;
        }));
        await us.Lane.RunAsync(() => us.MoveAsync(Key, other));
        var directories = new InstanceDirectories(null!, eu.Directory);
        var call = eu.Lane.RunAsync(async () => await directories.RequestAsync(
            other.Messenger, Us, Key, "late", default, new MessageOptions(Timeout: TimeSpan.FromMinutes(1)), CancellationToken.None));
        _world.Crash(us);
        await Task.Delay(Lease * 3, _world.Scheduler.Time);
        Assert.False(call.IsCompleted);
        answer.SetResult();
        Assert.Equal(ReplyOutcome.Replied, (await call).Outcome);
    });

    [Fact]
    public void Q4_who_has_ended_a_lease_is_the_first_to_take_what_it_wants() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        var asia = _world.Silos.Single(s => s.Cluster == QuorumDirectoryWorld.Asia);
        var lease = OwnerRow.Decode((await _world.Memory.ReadAsync(OwnerRow.KeyOf(Key))).Value.Span).Lease;
        var ends = new[] { eu, asia }.Select(s => s.Directory.EndOf(lease)!).ToList();
        _world.Crash(us);
        var known = await Task.WhenAll(ends.Select(async end =>
        {
            await end;
            return _world.Scheduler.Time.Elapsed;
        }));
        Assert.InRange((known[0] - known[1]).Duration(), Lease / 20, Lease / 2);
    });

    /// <summary>In a store by majority each would stand in the other's way, and both would begin anew.</summary>
    [Fact]
    public void Q5_who_sees_that_another_has_ended_a_lease_readies_no_row_that_this_one_takes() => Run(async (us, eu) =>
    {
        var asia = _world.Silos.Single(s => s.Cluster == QuorumDirectoryWorld.Asia);
        foreach (var silo in new[] { us, eu, asia })
        {
            await _world.AnsweredAsync(silo, Key, Settled);
        }

        _world.Crash(us);
        eu.Readied.Clear();
        asia.Readied.Clear();
        await Task.WhenAll(new[] { eu, asia }.Select(s => _world.AnsweredAsync(s, Key, QuorumSchedule.Answered)));
        var taken = Assert.Single([eu, asia], s => s.Serves(Key));
        Assert.Single([eu, asia], s => s.Readied.Contains(OwnerRow.KeyOf(Key)));
        Assert.Contains(OwnerRow.KeyOf(Key), taken.Readied);
    });

    /// <summary>
    /// The row of a write that is not answered yet looks like one that the silo does not know of. A call took it for its own, its tenancy
    /// ended, another silo had the grain, and the late answer began the first one: two served it.
    /// </summary>
    [Fact]
    public void Q5_a_silo_to_which_a_grain_moves_takes_it_once() => Run(async (us, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        var other = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);

        // Read after 0.4 s, written after 0.6, answered after 0.8.
        (other.Way.Options.MinDelay, other.Way.Options.MaxDelay) = (TimeSpan.FromSeconds(0.4), TimeSpan.FromSeconds(0.4));
        await us.Lane.RunAsync(() => us.MoveAsync(Key, other));
        await Task.Delay(TimeSpan.FromSeconds(0.65), _world.Scheduler.Time);
        (other.Way.Options.MinDelay, other.Way.Options.MaxDelay) = (TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(1));
        await other.Lane.RunAsync(async () =>
        {
            await other.CallAsync(Key);
            await other.ReleaseAsync(Key);
        });
        await _world.AnsweredAsync(us, Key, Settled);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(other, Key, Settled);
    });

    [Fact]
    public void Q5_a_grain_whose_instance_did_not_arrive_is_given_up() => Run(async (us, _) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        var other = _world.Start(Us);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await us.Lane.RunAsync(() => us.MoveAsync(Key, other));
        await Task.Delay(Settled, _world.Scheduler.Time);
        Assert.NotNull(other.Directory.TenancyOf(Key));
        await Task.Delay(TimeSpan.FromMinutes(1.1), _world.Scheduler.Time);
        Assert.Null(other.Directory.TenancyOf(Key));
    });

    [Fact]
    public void Q4_no_grain_comes_to_a_silo_on_which_an_instance_that_lost_its_lease_has_not_ended() => Run(async (us, eu) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        var held = new TaskCompletionSource();
        us.Held = held.Task;
        var running = us.Lane.RunAsync(() => us.CallAsync(Key));
        _world.CutOff(Us);
        await _world.AnsweredAsync(eu, Key, QuorumSchedule.Answered);
        _world.CutOff(Us, isCut: false);
        await Task.Delay(Settled * 3, _world.Scheduler.Time);
        Assert.True(us.Directory.MayServe && us.Has(Key));

        // Its home is there again: the instance of eu is released for us to take.
        await eu.Lane.RunAsync(async () => await eu.Directory.Administration.MoveAsync(Key, Us, "home"));
        Assert.Null(us.Directory.HeldOf(Key));
        await _world.AnsweredAsync(eu, Key, Settled * 2);
        Assert.Null(us.Directory.HeldOf(Key));

        held.SetResult();
        Assert.False(await running);
        await _world.AnsweredAsync(us, Key, Settled);
        Assert.True(await eu.Lane.RunAsync(async () => await eu.Directory.Administration.MoveAsync(Key, Us, "home")));
        Assert.NotNull(us.Directory.HeldOf(Key));
    });

    private async Task DamageLeaseAsync(QuorumSilo silo)
    {
        var owner = OwnerRow.Decode((await _world.Memory.ReadAsync(OwnerRow.KeyOf(Key))).Value.Span);
        var name = LeaseRow.KeyOf(owner.Lease);
        _world.Crash(silo);
        var lease = await _world.Memory.ReadAsync(name);
        Assert.Equal(StoreWriteOutcome.Applied, (await _world.Memory.WriteAsync(name, new byte[] { 9, 9 }, lease.ETag)).Outcome);
    }

    private void Run(Func<QuorumSilo, QuorumSilo, Task> test) => _world.Scheduler.Run(async () =>
    {
        var (us, eu) = (_world.Start(Us), _world.Start(QuorumDirectoryWorld.Eu));
        _world.Start(QuorumDirectoryWorld.Asia);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await test(us, eu);
    });
}
