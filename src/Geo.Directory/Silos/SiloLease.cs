using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// This silo's permission to serve single-instance grains. A silo that was frozen while its cluster declared it dead wakes with an expired
/// lease and cannot renew it, for those who take over its grains fence the row first and then wait until the last lease has run out.
/// </summary>
/// <remarks>
/// The lease ends when the first of two clocks says so, and each call reads both. The wall clock counts the time during which a machine is
/// suspended, but may be set back; the monotonic clock is never set, but stands still meanwhile. No timer is relied on: a process that
/// stood still may serve a call before its timers run. Where the wall clock is set forward, calls wait for the next renewal.
/// </remarks>
/// <param name="rows">The row store, of which each operation ends in time.</param>
/// <param name="node">This silo.</param>
/// <param name="clusters">The clusters that it knows, as <see cref="ClusterList"/> writes them.</param>
/// <param name="duration">How long a renewal lasts.</param>
/// <param name="time">Both clocks. Those who watch others have the same one, and compare <see cref="Steadiness.Since"/> with it.</param>
/// <param name="logger">The log.</param>
/// <param name="clocks">Both clocks as calls read them, where that is another source: the lease's ends are read from it alone.</param>
internal sealed class SiloLease(
    IConditionalStore rows, string node, string clusters, TimeSpan duration, TimeProvider time, ILogger logger, TimeProvider? clocks = null)
    : ILeaseGuard
{
    // A renewal is due after a third: where more than this has passed since the last one, one has failed, or the process stood still.
    private const double Late = 2.0 / 3;

    private readonly TimeProvider _clocks = clocks ?? time;
    private readonly string _key = LeaseRow.KeyOf(node);
    private readonly Queue<LeaseAttempt> _attempts = new();
    private DateTimeOffset _lastWrittenAt;
    private ETag? _etag;
    private long _validUntil = long.MinValue;
    private long _validUntilOnWall = long.MinValue;
    private Steadiness? _steady;
    private bool _isFenced;
    private bool _isBegun;
    private bool _isGivenUp;
    private long _processed;
    private TaskCompletionSource? _renewing;
    private bool _isInTrouble = true;

    /// <summary>Raised once, when this silo finds out that the cluster has declared it dead.</summary>
    public event Action? Fenced;

    /// <summary>Tells the operator that the silo was fenced off.</summary>
    public Action<ILogger, string> TellFenced { get; init; } = SiloLog.LeaseFenced;

    /// <summary>Read twice on every call.</summary>
    public bool MayServe =>
        (_clocks.GetUtcNow().UtcTicks < Volatile.Read(ref _validUntilOnWall) && _clocks.GetTimestamp() < Volatile.Read(ref _validUntil))
        || SwitchedOff.Is(ProtocolRule.LeaseIsHeld);

    /// <inheritdoc/>
    public ValueTask<bool> MayServeSoonAsync() =>
        MayServe || IsOver || Volatile.Read(ref _isInTrouble) ? new(MayServe) : MayServeAfterRenewalAsync();

    /// <summary>True when the cluster has declared this silo dead; it never holds the lease again.</summary>
    public bool IsFenced => Volatile.Read(ref _isFenced);

    /// <summary>True when this lease is never held again: others have fenced it off, or its name may be one that they did.</summary>
    public bool IsOver => IsFenced || Volatile.Read(ref _isGivenUp);

    /// <summary>The version of the live configuration that each renewal says this silo has processed; 0 for none.</summary>
    public long Processed
    {
        get => Volatile.Read(ref _processed);
        set => Volatile.Write(ref _processed, value);
    }

    /// <summary>How old the last renewal is, by the clock that says the more.</summary>
    public LeaseStatus Status => new(AgeAt(Volatile.Read(ref _validUntil), Volatile.Read(ref _validUntilOnWall)), duration, IsFenced);

    /// <summary>
    /// How long no renewal has failed or come late; null when the last one has: who has not renewed meanwhile has a trouble of its own. A
    /// renewal that took effect unheard, as the row then said, has not failed.
    /// </summary>
    public Steadiness? Steady => MayServe && Status.Age <= duration * Late ? Volatile.Read(ref _steady) : null;

    /// <summary>The cluster has declared this silo dead.</summary>
    public void Fence()
    {
        Volatile.Write(ref _validUntilOnWall, long.MinValue);
        if (!Interlocked.Exchange(ref _isFenced, true))
        {
            LetWaitersLook();
            TellFenced(logger, node);
            Fenced?.Invoke();
        }
    }

    /// <summary>Renews the lease every third of its duration until cancelled or over.</summary>
    public async Task RenewUntilAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(duration / 3, time);

        // The end of the timer is no exception, as a cancelled wait would be.
        await using var stop = cancellationToken.Register(timer.Dispose);
        try
        {
            while (!IsOver && await timer.WaitForNextTickAsync(CancellationToken.None))
            {
                await TryRenewAsync(cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }
    }

    /// <summary>Tries once to extend the lease by its duration, counted from before the attempt.</summary>
    /// <remarks>
    /// The row comes into being by one write only. Where nobody heard what became of that, others may have fenced the lease off and removed
    /// the fence when it was old, and hold it for over: a second write would take a lease that they do not heed.
    /// </remarks>
    public async Task RenewAsync(CancellationToken cancellationToken)
    {
        try
        {
            await TryOnceAsync(cancellationToken);
        }
        finally
        {
            LetWaitersLook();
        }
    }

    private async Task TryOnceAsync(CancellationToken cancellationToken)
    {
        if (_etag is null && _isBegun)
        {
            Volatile.Write(ref _steady, null);
            await CatchUpAsync(reason: null, cancellationToken);
            return;
        }

        var (until, untilOnWall, isFirst, steady) = (_validUntil, _validUntilOnWall, _etag is null, _steady);
        var attempt = Begin();
        _isBegun = true;
        var written = await rows.WriteAsync(_key, attempt.Row, _etag, cancellationToken);
        var tookEffect = written.Outcome == StoreWriteOutcome.Applied;
        if (tookEffect)
        {
            _etag = written.ETag;
            Hold(attempt);
        }
        else
        {
            Volatile.Write(ref _steady, null);
            tookEffect = await CatchUpAsync(written.Reason, cancellationToken, mayYetCome: isFirst) == attempt;
        }

        var gap = isFirst ? AbandonedOperations.LastPause : AgeAt(until, untilOnWall);
        var isSteady = steady is not null && gap <= duration * Late;
        Volatile.Write(ref _steady, !tookEffect ? null : isSteady ? steady : new(time.GetTimestamp(), gap));
        Volatile.Write(ref _isInTrouble, !tookEffect);
    }

    /// <summary>Removes the row of a silo that has stopped in an orderly way; best effort.</summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        Volatile.Write(ref _isInTrouble, true);
        Volatile.Write(ref _validUntilOnWall, long.MinValue);
        LetWaitersLook();
        if (_etag is { } etag && !IsFenced)
        {
            await rows.DeleteAsync(_key, etag, cancellationToken);
        }
    }

    /// <summary>
    /// The renewal is overdue: it begins as soon as this process runs, and ends within a third of the duration. One that was under way when
    /// the process stood still may end first, and too late to be of use.
    /// </summary>
    private async ValueTask<bool> MayServeAfterRenewalAsync()
    {
        var started = time.GetTimestamp();
        while (!IsOver && !Volatile.Read(ref _isInTrouble))
        {
            var mine = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var renewing = Interlocked.CompareExchange(ref _renewing, mine, null) ?? mine;
            if (MayServe || IsOver)
            {
                break;
            }

            var left = (duration * Late) - time.GetElapsedTime(started);
            if (left <= TimeSpan.Zero || !await renewing.Task.EndsWithinAsync(left, time, CancellationToken.None))
            {
                // In vain: nobody else waits before a renewal has taken effect.
                Volatile.Write(ref _isInTrouble, true);
            }
        }

        return MayServe;
    }

    private void LetWaitersLook() => Interlocked.Exchange(ref _renewing, null)?.TrySetResult();

    /// <summary>How long ago a lease that ends then was renewed, by the clock that says the more.</summary>
    private TimeSpan AgeAt(long until, long untilOnWall)
    {
        if (untilOnWall == long.MinValue)
        {
            return duration;
        }

        var left = _clocks.GetElapsedTime(_clocks.GetTimestamp(), until);
        var leftOnWall = new TimeSpan(untilOnWall - _clocks.GetUtcNow().UtcTicks);
        return duration - (left < leftOnWall ? left : leftOnWall);
    }

    /// <summary>An attempt with a row that no other attempt of this silo has written.</summary>
    private LeaseAttempt Begin()
    {
        var (sent, sentOnWall) = (_clocks.GetTimestamp(), _clocks.GetUtcNow());
        _lastWrittenAt = sentOnWall > _lastWrittenAt ? sentOnWall : _lastWrittenAt.AddTicks(1);
        while (_attempts.TryPeek(out var oldest) && _clocks.GetElapsedTime(oldest.Sent, sent) >= duration)
        {
            _attempts.Dequeue();
        }

        var row = new LeaseRow { Duration = duration, WrittenAt = _lastWrittenAt, Clusters = clusters, Configuration = Processed };
        var attempt = new LeaseAttempt(row.Encode(), sent, sentOnWall);
        _attempts.Enqueue(attempt);
        return attempt;
    }

    /// <summary>The attempt took effect, not before it was sent: whoever fences this silo off waits longer than the lease lasts.</summary>
    private void Hold(LeaseAttempt attempt)
    {
        Volatile.Write(ref _validUntil, attempt.Sent + (long)(duration.TotalSeconds * _clocks.TimestampFrequency));
        Volatile.Write(ref _validUntilOnWall, (attempt.SentOnWall + duration).UtcTicks);
        if (IsFenced)
        {
            // Told by a sibling while the renewal was under way.
            Volatile.Write(ref _validUntilOnWall, long.MinValue);
        }
    }

    private async Task TryRenewAsync(CancellationToken cancellationToken)
    {
        try
        {
            await RenewAsync(cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // Whatever the store does, the next renewal is tried.
            Volatile.Write(ref _steady, null);
            Volatile.Write(ref _isInTrouble, true);
            logger.LeaseRenewalFailed(node, e);
        }
    }

    /// <summary>Looks at the row after a renewal that is not known to have taken effect.</summary>
    /// <param name="reason">Why it is not known.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <param name="mayYetCome">
    /// True directly after the write that takes the lease: where there is no row, it is looked for once more.
    /// </param>
    /// <returns>The attempt that the row shows, which is held now; null where it shows none, or is not known.</returns>
    private async Task<LeaseAttempt?> CatchUpAsync(string? reason, CancellationToken cancellationToken, bool mayYetCome = false)
    {
        var read = await rows.ReadAsync(_key, cancellationToken);
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            logger.LeaseNotRenewed(node, reason ?? read.Reason ?? "the store did not answer");
            return null;
        }

        // Nobody but this silo removes its living row, and a fence is removed when it is old: what is gone was fenced off.
        var row = LeaseRow.Of(read, unreadable: new LeaseRow { IsFenced = true });
        if (row is { IsFenced: true } || (row is null && _etag is not null))
        {
            Fence();
            return null;
        }

        if (row is null && !mayYetCome)
        {
            Volatile.Write(ref _isGivenUp, true);
            logger.LeaseGivenUp(node);
            return null;
        }

        // A write of ours took effect unheard: the row says which.
        _etag = read.ETag;
        var applied = _attempts.FirstOrDefault(attempt => attempt.Row.AsSpan().SequenceEqual(read.Value.Span));
        if (applied is not null)
        {
            Hold(applied);
        }

        if (!MayServe)
        {
            logger.LeaseNotRenewed(node, reason ?? "the row was changed");
        }

        return applied;
    }
}
