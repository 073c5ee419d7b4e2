using Geo.Directory;

namespace Geo.Embedded;

/// <summary>
/// The course of one activation, from the acquisition of the directory's row to its release. Each step has its time, after which the
/// instance is ended from outside.
/// </summary>
/// <remarks>The base of the activation, and no object of its own, because there may be many.</remarks>
internal abstract class ActivationLife
{
    // Stand for the sources that have ended, so that an activation keeps none.
    private static readonly TaskCompletionSource<bool> WasActivated = Completed(true);
    private static readonly TaskCompletionSource<bool> WasNotActivated = Completed(false);
    private static readonly TaskCompletionSource<bool> HasEnded = Completed(true);

    private TaskCompletionSource<bool> _activated = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource<bool>? _ended;

    // 0 while the directory's row is not this activation's.
    private long _tenancy;
    private ILeaseGuard? _guard;

    /// <summary>Ends with true when the grain is active, with false when it did not come to that.</summary>
    public Task<bool> Activated => Volatile.Read(ref _activated).Task;

    /// <summary>Ends when the instance is gone.</summary>
    public Task Ended
    {
        get
        {
            var waiting = Volatile.Read(ref _ended);
            if (waiting is null)
            {
                var begun = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
                waiting = Interlocked.CompareExchange(ref _ended, begun, null) ?? begun;
            }

            return waiting.Task;
        }
    }

    /// <summary>Says before each turn whether the instance may serve; null where nothing need.</summary>
    public ILeaseGuard? Guard => Volatile.Read(ref _guard);

    /// <summary>The number of the instance's tenancy; 0 where it has none.</summary>
    public long Tenancy => Volatile.Read(ref _tenancy);

    public abstract GrainKey Key { get; }

    /// <summary>What the activations of the silo share.</summary>
    public abstract SiloContext Silo { get; }

    /// <summary>The grain's class.</summary>
    public abstract GrainClass Class { get; }

    /// <summary>Where its turns run.</summary>
    public abstract TurnScheduler Scheduler { get; }

    /// <summary>Says which turn runs.</summary>
    public abstract ActivationTurns Turns { get; }

    /// <summary>What the grain holds.</summary>
    public abstract GrainInstance Instance { get; }

    /// <summary>Begins to activate, without waiting.</summary>
    public void Begin()
    {
        Limit(Silo.Options.ActivationTimeout);
        Scheduler.Post(static self => _ = ((ActivationLife)self!).ActivateAsync(), this);
    }

    /// <summary>Ends the instance when the turns that run have ended, and have their time for it.</summary>
    public void Deactivate(DeactivationReason reason)
    {
        if (Turns.TryBeginDeactivation(reason))
        {
            Limit(Silo.Options.DeactivationTimeout);
        }
    }

    /// <summary>The grain may have a successor by now: for its view, to which that writes, calls wait no longer.</summary>
    public void Lose(GeoOutcomeUnknownException reason) => Scheduler.Post(_ => Instance.Lose(reason), null);

    /// <summary>Deactivates the grain when it has not been used for the idle time and has nothing left to confirm.</summary>
    public void DeactivateIfIdle()
    {
        if (Turns.IsIdle)
        {
            Scheduler.Post(static self => ((ActivationLife)self!).DeactivateIfIdleAndConfirmed(), this);
        }
    }

    /// <summary>Ends the instance now, if it has begun to end.</summary>
    public void GiveUp()
    {
        if (Turns.Limit is { } limit)
        {
            Overrun(limit);
        }
    }

    /// <summary>
    /// The time is up: whatever the grain's code or its state's store is doing, the instance ends now. Called on any thread, because a
    /// call may never give the activation's own back.
    /// </summary>
    public void Overrun(LifeLimit limit)
    {
        if (Turns.TryOverrun(limit, out var wasActive, out var running))
        {
            _ = AbandonAsync(wasActive, running);
        }
    }

    /// <summary>Ends the instance in order; its turns have ended.</summary>
    public async Task EndAsync(DeactivationReason reason)
    {
        try
        {
            using var patience = new CancellationTokenSource(TimeToEnd(), Silo.Time);
            await Instance.EndAsync(reason, patience.Token);
        }
        catch (Exception e)
        {
            RuntimeLog.DeactivationFailed(Silo.Logger, e, Key);
        }

        if (!Turns.TryBeginClosing())
        {
            return;
        }

        TellEnded();
        await CloseAsync(reason);
    }

    /// <summary>Later calls are to find no trace of this instance.</summary>
    protected abstract void OnEnded();

    private static DeactivationReason Failed(Exception failure) =>
        new(DeactivationReasonCode.ActivationFailed, failure.Message, failure);

    private static TaskCompletionSource<bool> Completed(bool result)
    {
        var completed = new TaskCompletionSource<bool>();
        completed.SetResult(result);
        return completed;
    }

    /// <summary>Tells those who wait, unless they have been told before.</summary>
    private void TellActivated(TaskCompletionSource<bool> outcome)
    {
        var waiting = Volatile.Read(ref _activated);
        if (waiting != WasActivated && waiting != WasNotActivated
            && Interlocked.CompareExchange(ref _activated, outcome, waiting) == waiting)
        {
            waiting.TrySetResult(outcome == WasActivated);
        }
    }

    private async Task ActivateAsync()
    {
        using var patience = new CancellationTokenSource(Silo.Options.ActivationTimeout, Silo.Time);
        try
        {
            var row = await InstanceRow.AcquireAsync(Key, Class, Silo, patience.Token);
            Volatile.Write(ref _guard, row.Guard);
            Volatile.Write(ref _tenancy, row.Tenancy);
            if (row.Placement is { } placement)
            {
                if (placement.Kind == PlacementKind.Elsewhere)
                {
                    EndElsewhere(call => Silo.Router.GoOn(
                        call, CallEvent.FoundElsewhere(placement.Cluster), $"it is in cluster {placement.Cluster}"));
                    return;
                }

                if (placement.Node != Silo.Node)
                {
                    EndElsewhere(call => Silo.Router.Pass(call, placement.Node!));
                    return;
                }

                if (Turns.IsClosing)
                {
                    // Too late: the row says "here", and the next activation here takes it.
                    return;
                }

                if (Class.Declaration.Home is not null && Silo.Homes is { } homes)
                {
                    homes.Begins(Key, Class.Declaration, Class.FollowsCallers ? homes.Counts() : null);
                }
            }

            await Instance.CreateAsync(patience.Token);
        }
        catch (Exception e)
        {
            RuntimeLog.ActivationFailed(Silo.Logger, e, Key);
            EmbeddedMetrics.ActivationFailures.Add(1);
            var failure = e is OperationCanceledException && patience.IsCancellationRequested ? NotActiveInTime(e) : e;
            await EndAsync(Failed(failure));
            return;
        }

        if (!Turns.TryBecomeActive(out var met))
        {
            await Instance.LetGoAsync();
            return;
        }

        Forget(met);
        EmbeddedMetrics.Activated.Add(1);
        TellActivated(WasActivated);
        Turns.Begin();
    }

    private void DeactivateIfIdleAndConfirmed()
    {
        if (Turns.IsIdle && !Instance.IsUnconfirmed)
        {
            Deactivate(new DeactivationReason(
                DeactivationReasonCode.ActivationIdle, $"No call came for {Silo.Options.IdleDeactivation}."));
        }
    }

    /// <summary>
    /// Ends an instance whose code did not come to an end in its time. That code may go on; what it could still do to others is cut off:
    /// its stored states refuse, its view is disposed, its calls are answered as of unknown outcome.
    /// </summary>
    private async Task AbandonAsync(bool wasActive, List<Turn> running)
    {
        var reason = Turns.Deactivation ?? Failed(NotActiveInTime());
        RuntimeLog.Abandoned(Silo.Logger, Key, reason, running.Count);
        EmbeddedMetrics.Abandoned.Add(1);
        EmbeddedMetrics.ActivationFailures.Add(wasActive ? 0 : 1);
        Instance.CutOff();
        TellEnded();
        Scheduler.Post(static abandoned => _ = ((GrainInstance)abandoned!).LetGoAsync(), Instance);
        foreach (var turn in running)
        {
            (turn as GrainCall)?.TryFail(new GeoOutcomeUnknownException(
                $"Whether {turn} took effect is not known: {Key} was deactivated ({reason}), and the call did not end within "
                + $"{Silo.Options.DeactivationTimeout.TotalSeconds} s (DeactivationTimeout). Read before trying again."));
        }

        await CloseAsync(reason);
    }

    /// <summary>Gives the row up, and only then lets the next activation begin.</summary>
    private async Task CloseAsync(DeactivationReason reason)
    {
        if (Class is { IsReplica: false, Declaration.Home: not null })
        {
            Silo.Homes?.Ended(Key);
        }

        var releasing = InstanceRow.ReleaseAsync(Key, Class, Tenancy, Silo).AsTask();
        if (!SwitchedOff.Is(ProtocolRule.ReleasedFirst))
        {
            await releasing;
        }

        HandOut(Close(), reason);
    }

    private void TellEnded()
    {
        if (!Class.IsReplica)
        {
            Silo.Around.InstanceEnded(Key);
        }
    }

    private void EndElsewhere(Action<GrainCall> goOn)
    {
        if (!Turns.TryBeginClosing())
        {
            return;
        }

        foreach (var turn in Close())
        {
            if (turn is GrainCall call)
            {
                goOn(call);
            }
        }
    }

    private void HandOut(List<Turn> left, DeactivationReason reason)
    {
        foreach (var turn in left)
        {
            if (turn is not GrainCall call)
            {
                continue;
            }

            if (reason is { ReasonCode: DeactivationReasonCode.ActivationFailed, Exception: { } failure })
            {
                call.TryFail(failure);
            }
            else
            {
                var ended = Turns.HasServed ? CallEventKind.InstanceEndedLater : CallEventKind.InstanceEnded;
                Silo.Router.GoOn(call, ended, $"it was deactivated ({reason})");
            }
        }
    }

    /// <summary>The last step: later calls find no trace of this instance; those that wait are handed out.</summary>
    private List<Turn> Close()
    {
        var left = Turns.End(out var met);
        Forget(met);
        OnEnded();
        TellActivated(WasNotActivated);
        Interlocked.CompareExchange(ref _ended, HasEnded, null)?.TrySetResult(true);
        return left;
    }

    /// <summary>Ends the instance after a time, unless it has reached what the time is for; an earlier limit stays.</summary>
    private void Limit(TimeSpan time)
    {
        // What heeds its token ends in order before; the wheel is late by up to one resolution.
        var limit = new LifeLimit(this) { DueAt = Silo.Deadlines.After(time + (2 * Silo.Options.TimeoutResolution)) };
        if (Turns.TryLimit(limit, out var later))
        {
            Forget(later);
            Silo.Deadlines.Add(limit, limit.DueAt);
        }
    }

    private void Forget(LifeLimit? met)
    {
        if (met is not null)
        {
            Silo.Deadlines.Remove(met);
        }
    }

    /// <summary>What is left of the time to deactivate, of which the calls that were running have had a part.</summary>
    private TimeSpan TimeToEnd()
    {
        Limit(Silo.Options.DeactivationTimeout);
        var left = Silo.Deadlines.Until(Turns.Limit?.DueAt ?? 0) - (2 * Silo.Options.TimeoutResolution);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private GeoUnavailableException NotActiveInTime(Exception? cause = null) => new(
        $"{Key} was not active after {Silo.Options.ActivationTimeout.TotalSeconds} s (ActivationTimeout); the call was not executed.",
        cause);
}
