using Geo.Directory;

namespace Geo.Embedded;

/// <summary>
/// The course of one activation, from the acquisition of the directory's row to its release. Each step has its time, after which the
/// instance is ended from outside.
/// </summary>
internal sealed class ActivationLife(
    Activation activation, GrainClass grainClass, SiloContext silo, ActivationTurns turns, GrainInstance instance, TurnScheduler scheduler,
    Action<Activation> onEnded)
{
    private readonly InstanceRow _row = new(activation.Key, grainClass, silo);
    private readonly TaskCompletionSource<bool> _activated = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends with true when the grain is active, with false when it did not come to that.</summary>
    public Task<bool> Activated => _activated.Task;

    /// <summary>Ends when the instance is gone.</summary>
    public Task Ended => _ended.Task;

    private GrainKey Key => activation.Key;

    /// <summary>Begins to activate, without waiting.</summary>
    public void Begin()
    {
        Limit(silo.Options.ActivationTimeout);
        scheduler.Post(static self => _ = ((ActivationLife)self!).ActivateAsync(), this);
    }

    /// <summary>Ends the instance when the turns that run have ended, and have their time for it.</summary>
    public void Deactivate(DeactivationReason reason)
    {
        if (turns.TryBeginDeactivation(reason))
        {
            Limit(silo.Options.DeactivationTimeout);
        }
    }

    /// <summary>Deactivates the grain when it has not been used for the idle time and has nothing left to confirm.</summary>
    public void DeactivateIfIdle()
    {
        if (turns.IsIdle)
        {
            scheduler.Post(static self => ((ActivationLife)self!).DeactivateIfIdleAndConfirmed(), this);
        }
    }

    /// <summary>Ends the instance now, if it has begun to end.</summary>
    public void GiveUp()
    {
        if (turns.Limit is { } limit)
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
        if (turns.TryOverrun(limit, out var wasActive, out var running))
        {
            _ = AbandonAsync(wasActive, running);
        }
    }

    /// <summary>Ends the instance in order; its turns have ended.</summary>
    public async Task EndAsync(DeactivationReason reason)
    {
        try
        {
            using var patience = new CancellationTokenSource(TimeToEnd(), silo.Time);
            await instance.EndAsync(reason, patience.Token);
        }
        catch (Exception e)
        {
            RuntimeLog.DeactivationFailed(silo.Logger, e, Key);
        }

        if (!turns.TryBeginClosing())
        {
            return;
        }

        TellEnded();
        await _row.ReleaseAsync();
        HandOut(Close(), reason);
    }

    private static DeactivationReason Failed(Exception failure) =>
        new(DeactivationReasonCode.ActivationFailed, failure.Message, failure);

    private async Task ActivateAsync()
    {
        using var patience = new CancellationTokenSource(silo.Options.ActivationTimeout, silo.Time);
        Grain grain;
        try
        {
            if (await _row.AcquireAsync(patience.Token) is { } placement)
            {
                if (placement.Kind == PlacementKind.Elsewhere)
                {
                    EndElsewhere(call => silo.Router.GoOn(
                        call, CallEvent.FoundElsewhere(placement.Cluster), $"it is in cluster {placement.Cluster}"));
                    return;
                }

                if (placement.Node != silo.Node)
                {
                    EndElsewhere(call => silo.Router.Pass(call, placement.Node!));
                    return;
                }

                if (turns.IsClosing)
                {
                    // Too late: the row says "here", and the next activation here takes it.
                    return;
                }
            }

            grain = await instance.CreateAsync(patience.Token);
        }
        catch (Exception e)
        {
            RuntimeLog.ActivationFailed(silo.Logger, e, Key);
            EmbeddedMetrics.ActivationFailures.Add(1);
            var failure = e is OperationCanceledException && patience.IsCancellationRequested ? NotActiveInTime(e) : e;
            await EndAsync(Failed(failure));
            return;
        }

        if (!turns.TryBecomeActive(grain, out var met))
        {
            await instance.LetGoAsync();
            return;
        }

        Forget(met);
        EmbeddedMetrics.Activated.Add(1);
        _activated.TrySetResult(true);
        turns.Begin();
    }

    private void DeactivateIfIdleAndConfirmed()
    {
        if (turns.IsIdle && !instance.IsUnconfirmed)
        {
            Deactivate(new DeactivationReason(
                DeactivationReasonCode.ActivationIdle, $"No call came for {silo.Options.IdleDeactivation}."));
        }
    }

    /// <summary>
    /// Ends an instance whose code did not come to an end in its time. That code may go on; what it could still do to others is cut off:
    /// its stored states refuse, its view is disposed, its calls are answered as of unknown outcome.
    /// </summary>
    private async Task AbandonAsync(bool wasActive, List<Turn> running)
    {
        var reason = turns.Deactivation ?? Failed(NotActiveInTime());
        RuntimeLog.Abandoned(silo.Logger, Key, reason, running.Count);
        EmbeddedMetrics.Abandoned.Add(1);
        EmbeddedMetrics.ActivationFailures.Add(wasActive ? 0 : 1);
        instance.CutOff();
        TellEnded();
        scheduler.Post(static abandoned => _ = ((GrainInstance)abandoned!).LetGoAsync(), instance);
        foreach (var turn in running)
        {
            (turn as GrainCall)?.TryFail(new GeoOutcomeUnknownException(
                $"Whether {turn} took effect is not known: {Key} was deactivated ({reason}), and the call did not end within "
                + $"{silo.Options.DeactivationTimeout.TotalSeconds} s (DeactivationTimeout). Read before trying again."));
        }

        await _row.ReleaseAsync();
        HandOut(Close(), reason);
    }

    private void TellEnded()
    {
        if (!grainClass.IsReplica)
        {
            silo.Around.InstanceEnded(Key);
        }
    }

    private void EndElsewhere(Action<GrainCall> goOn)
    {
        if (!turns.TryBeginClosing())
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
                var ended = turns.HasServed ? CallEventKind.InstanceEndedLater : CallEventKind.InstanceEnded;
                silo.Router.GoOn(call, ended, $"it was deactivated ({reason})");
            }
        }
    }

    /// <summary>The last step: later calls find no trace of this instance; those that wait are handed out.</summary>
    private List<Turn> Close()
    {
        var left = turns.End(out var met);
        Forget(met);
        onEnded(activation);
        _activated.TrySetResult(false);
        _ended.TrySetResult();
        return left;
    }

    /// <summary>Ends the instance after a time, unless it has reached what the time is for; an earlier limit stays.</summary>
    private void Limit(TimeSpan time)
    {
        // What heeds its token ends in order before; the wheel is late by up to one resolution.
        var limit = new LifeLimit(this) { DueAt = silo.Deadlines.After(time + (2 * silo.Options.TimeoutResolution)) };
        if (turns.TryLimit(limit, out var later))
        {
            Forget(later);
            silo.Deadlines.Add(limit, limit.DueAt);
        }
    }

    private void Forget(LifeLimit? met)
    {
        if (met is not null)
        {
            silo.Deadlines.Remove(met);
        }
    }

    /// <summary>What is left of the time to deactivate, of which the calls that were running have had a part.</summary>
    private TimeSpan TimeToEnd()
    {
        Limit(silo.Options.DeactivationTimeout);
        var left = silo.Deadlines.Until(turns.Limit?.DueAt ?? 0) - (2 * silo.Options.TimeoutResolution);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private GeoUnavailableException NotActiveInTime(Exception? cause = null) => new(
        $"{Key} was not active after {silo.Options.ActivationTimeout.TotalSeconds} s (ActivationTimeout); the call was not executed.",
        cause);
}
