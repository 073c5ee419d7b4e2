// Longer than most: the life of an activation is one state machine under one lock, and is easier to check in one place.
using Geo.Consistency;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>
/// One instance of a grain in this silo: its turns, from the acquisition of the directory's row to its release. A single-instance grain
/// acquires and releases its row within this life, so that of two activations of one key in a silo the second begins after the first
/// has given the row up.
/// </summary>
internal sealed class Activation : IActivationContext, IJournalSource
{
    private readonly SiloContext _silo;
    private readonly GrainClass _class;
    private readonly ILeaseGuard? _guard;
    private readonly Action<Activation> _onEnded;
    private readonly TurnScheduler _scheduler;
    private readonly Lock _gate = new();
    private readonly TurnQueue _turns;
    private readonly ActivationTimers _timers;
    private readonly TaskCompletionSource<bool> _activated = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Phase _phase = Phase.Activating;
    private DeactivationReason? _deactivation;
    private bool _isPumping;
    private bool _isEnding;
    private bool _isClosing;
    private LifeLimit? _limit;
    private int _callsInProgress;
    private long _lastUsed;
    private long _keepUntil;

    // Touched by turns only.
    private Grain? _grain;
    private IJournal? _journal;
    private IDisposable? _replicaRegistration;
    private AsyncServiceScope? _scope;
    private IStoredState[] _states = [];

    // 0 while the row is not this activation's.
    private long _tenancy;
    private bool _hasServed;
    private ViewWait? _spareWait;

    public Activation(GrainKey key, GrainClass grainClass, SiloContext silo, Action<Activation> onEnded)
    {
        Key = key;
        _class = grainClass;
        _guard = grainClass.Declaration.Instancing == Instancing.GlobalSingle ? silo.Guard : null;
        _silo = silo;
        _onEnded = onEnded;
        _scheduler = new TurnScheduler(this, silo);
        _turns = new TurnQueue(grainClass.IsReentrant, silo.Options.MaxRunningRequests);
        _timers = new ActivationTimers(this, silo.Time, silo.Logger);
        _lastUsed = silo.Time.GetTimestamp();
    }

    private enum Phase
    {
        Activating,
        Active,
        Deactivating,
        Ended,
    }

    public GrainKey Key { get; }

    /// <summary>Ends with true when the grain is active, with false when it did not come to that.</summary>
    public Task<bool> Activated => _activated.Task;

    /// <summary>Ends when the instance is gone.</summary>
    public Task Ended => _ended.Task;

    IGrainFactory IActivationContext.GrainFactory => _silo.Factory;

    string IActivationContext.SiloIdentity => _silo.Node;

    IServiceProvider IActivationContext.Services => (_scope ??= _silo.Services.CreateAsyncScope()).ServiceProvider;

    ILogger IJournalSource.Logger => _silo.Logger;

    public override string ToString() => Key.ToString();

    /// <summary>Begins to activate, without waiting.</summary>
    public void Begin()
    {
        Limit(_silo.Options.ActivationTimeout);
        _scheduler.Post(static self => _ = ((Activation)self!).ActivateAsync(), this);
    }

    /// <summary>Takes a call; false when the instance is gone and the call must look for the next one.</summary>
    public bool TryAccept(GrainCall call, TurnQueue.Kind kind)
    {
        var waitsForItself = call.Callers?.Includes(Key) == true;
        bool waitsTooMany;
        bool runsTooMany;
        lock (_gate)
        {
            if (_phase == Phase.Ended)
            {
                return false;
            }

            _lastUsed = _silo.Time.GetTimestamp();
            waitsTooMany = _turns.WaitingCount >= _silo.Options.MaxQueuedRequests;
            runsTooMany = _turns.RunningCount >= _silo.Options.MaxRunningRequests;
            if (!waitsTooMany && !runsTooMany)
            {
                waitsForItself = waitsForItself && !_turns.WouldStart(kind);
                _callsInProgress++;
                Add(call, kind);
            }
        }

        if (waitsTooMany)
        {
            EmbeddedMetrics.QueueRejections.Add(1);
            call.TryFail(new GeoUnavailableException(
                $"{Key} has {_silo.Options.MaxQueuedRequests} calls waiting, as many as MaxQueuedRequests allows; {call} was not executed."));
        }
        else if (runsTooMany)
        {
            EmbeddedMetrics.RunningRejections.Add(1);
            call.TryFail(new GeoUnavailableException(
                $"{Key} runs {_silo.Options.MaxRunningRequests} calls, as many as MaxRunningRequests allows at a time; {call} was not executed."));
        }
        else if (call.HasEnded)
        {
            // Given up while it came: nobody was told to take it out.
            Drop(call);
        }
        else if (waitsForItself)
        {
            call.WaitsForItself();
        }

        return true;
    }

    /// <summary>A call was given up: it is taken out if it still waits.</summary>
    public void Drop(GrainCall call)
    {
        lock (_gate)
        {
            if (call.At == this && _turns.Remove(call))
            {
                _callsInProgress--;
            }
        }
    }

    /// <summary>Takes the tick of a timer; dropped when the grain is not active any more.</summary>
    public void Accept(TimerTick tick, bool interleave, bool keepAlive)
    {
        lock (_gate)
        {
            if (_phase is Phase.Activating or Phase.Active)
            {
                _lastUsed = keepAlive ? _silo.Time.GetTimestamp() : _lastUsed;
                Add(tick, interleave ? TurnQueue.Kind.Interleaved : TurnQueue.Kind.Exclusive);
            }
        }
    }

    /// <summary>Counts as use, though no call came.</summary>
    public void Touch()
    {
        lock (_gate)
        {
            _lastUsed = _silo.Time.GetTimestamp();
        }
    }

    public void Deactivate(DeactivationReason reason)
    {
        bool isFirst;
        lock (_gate)
        {
            isFirst = _deactivation is null && _phase != Phase.Ended;
            _deactivation ??= reason;
            if (_phase == Phase.Active)
            {
                _phase = Phase.Deactivating;
            }

            Pump(_phase == Phase.Deactivating);
        }

        if (isFirst)
        {
            Limit(_silo.Options.DeactivationTimeout);
        }
    }

    /// <summary>Ends the instance now, if it has begun to end.</summary>
    public void GiveUp()
    {
        LifeLimit? limit;
        lock (_gate)
        {
            limit = _limit;
        }

        if (limit is not null)
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
        bool wasActive;
        List<Turn> running;
        lock (_gate)
        {
            if (_limit != limit || _isClosing)
            {
                return;
            }

            _isClosing = true;
            wasActive = _phase != Phase.Activating;
            running = _turns.Running();
        }

        _ = AbandonAsync(wasActive, running);
    }

    public void DelayDeactivation(TimeSpan timeSpan)
    {
        lock (_gate)
        {
            _keepUntil = timeSpan > TimeSpan.Zero ? Later(_silo.Time.GetTimestamp(), timeSpan) : 0;
        }
    }

    /// <summary>Deactivates the grain when it has not been used for the idle time and has nothing left to confirm.</summary>
    public void DeactivateIfIdle()
    {
        if (IsIdle())
        {
            _scheduler.Post(static self => ((Activation)self!).DeactivateIfIdleAndConfirmed(), this);
        }
    }

    public IGrainTimer RegisterTimer(Func<CancellationToken, Task> callback, GrainTimerCreationOptions options) =>
        _timers.Register(callback, options);

    public object ReferenceTo(Type interfaceType) => _silo.References(interfaceType, Key);

    public IVersionedView<TState, TEvent> CreateView<TState, TEvent>(IViewModel<TState, TEvent> model, IViewObserver observer) =>
        VersionedViews.Create(
            _class.Declaration,
            Key,
            model,
            _silo.Replicas.LinkFor(Key, _class.Declaration.Instancing == Instancing.OnePerCluster),
            _silo.Views,
            observer);

    public ViewWait BeginViewWait()
    {
        var turn = CallScope.Frame?.Turn is { } present && present.At == this ? present : null;
        if (turn is not null)
        {
            lock (_gate)
            {
                _turns.ViewWaitBegins(turn);
                Pump(_phase == Phase.Active && _turns.WaitingCount > 0);
            }
        }

        // What nobody called, or nobody waits for, has as long as a call.
        var wait = Interlocked.Exchange(ref _spareWait, null) ?? new ViewWait(this, _silo.Deadlines);
        if (turn is GrainCall { Method.IsOneWay: false } call)
        {
            wait.Begin(turn, call.AnswerDueAt, call.Cancellation);
        }
        else
        {
            wait.Begin(turn, _silo.Deadlines.After(_silo.Options.RequestTimeout), default);
        }

        return wait;
    }

    /// <summary>A wait for the view is over.</summary>
    /// <param name="turn">The turn that waited; null when none did.</param>
    /// <param name="spare">The wait, if it can be used again.</param>
    public void ViewWaitEnds(Turn? turn, ViewWait? spare)
    {
        _spareWait = spare ?? _spareWait;
        if (turn is not null)
        {
            lock (_gate)
            {
                _turns.ViewWaitEnds(turn);
            }
        }
    }

    public void CheckMayRaise()
    {
        if (CallScope.Frame?.Turn is GrainCall { Kind: TurnQueue.Kind.ReadOnly } call && call.At == this)
        {
            throw new InvalidOperationException(
                $"{call} is [ReadOnly] and may not raise events: it runs beside calls that have not ended. Remove the attribute, or raise the "
                + "events in another method.");
        }
    }

    private static long Later(long timestamp, TimeSpan wait, long frequency) =>
        wait.TotalSeconds * frequency < long.MaxValue - timestamp ? timestamp + (long)(wait.TotalSeconds * frequency) : long.MaxValue;

    private long Later(long timestamp, TimeSpan wait) => Later(timestamp, wait, _silo.Time.TimestampFrequency);

    private void Add(Turn turn, TurnQueue.Kind kind)
    {
        turn.At = this;
        _turns.Enqueue(turn, kind);
        Pump(_phase == Phase.Active);
    }

    /// <summary>Lets a turn look for work, under the lock.</summary>
    private void Pump(bool needed)
    {
        if (needed && !_isPumping)
        {
            _isPumping = true;
            _scheduler.Post(static self => ((Activation)self!).RunTurns(), this);
        }
    }

    private void RunTurns()
    {
        while (TryStart(out var turn))
        {
            _hasServed = true;
            var run = turn.IsWanted() && IsServed(turn) ? turn.RunAsync(_grain!) : default;
            if (run.IsCompleted)
            {
                EndTurn(turn);
            }
            else
            {
                _ = EndTurnAsync(run, turn);
            }

            if (_scheduler.QuantumIsOver)
            {
                lock (_gate)
                {
                    _isPumping = false;
                    Pump(needed: true);
                }

                return;
            }
        }
    }

    /// <summary>A silo without its lease must not run a single-instance grain: others may have taken it over.</summary>
    private bool IsServed(Turn turn)
    {
        if (_guard is null)
        {
            return true;
        }

        if (!_guard.MayServe)
        {
            turn.Unserved(Key);
            return false;
        }

        if (turn is GrainCall call)
        {
            call.Guard = _guard;
        }

        return true;
    }

    private bool TryStart(out Turn turn)
    {
        lock (_gate)
        {
            if (_phase == Phase.Active && _turns.TryStart(out turn))
            {
                return true;
            }

            _isPumping = false;
            turn = null!;
            if (_phase == Phase.Deactivating && _turns.RunningCount == 0 && !_isEnding && !_isClosing)
            {
                _isEnding = true;
                _ = EndAsync(_deactivation!.Value);
            }

            return false;
        }
    }

    private void EndTurn(Turn turn)
    {
        lock (_gate)
        {
            CountEnd(turn);
        }
    }

    private async Task EndTurnAsync(ValueTask run, Turn turn)
    {
        await run;
        lock (_gate)
        {
            CountEnd(turn);
            Pump(_phase == Phase.Deactivating || _turns.WaitingCount > 0);
        }
    }

    private void CountEnd(Turn turn)
    {
        _turns.Ended(turn);
        if (turn is GrainCall)
        {
            _callsInProgress--;
            _lastUsed = _silo.Time.GetTimestamp();
        }
    }

    private bool IsIdle()
    {
        lock (_gate)
        {
            var now = _silo.Time.GetTimestamp();
            return _phase == Phase.Active && _callsInProgress == 0 && now >= _keepUntil
                && now >= Later(_lastUsed, _silo.Options.IdleDeactivation);
        }
    }

    private void DeactivateIfIdleAndConfirmed()
    {
        if (IsIdle() && _journal is not { UnconfirmedCount: > 0 })
        {
            Deactivate(new DeactivationReason(
                DeactivationReasonCode.ActivationIdle, $"No call came for {_silo.Options.IdleDeactivation}."));
        }
    }

    private async Task ActivateAsync()
    {
        using var patience = new CancellationTokenSource(_silo.Options.ActivationTimeout, _silo.Time);
        try
        {
            if (_class.Declaration.Instancing == Instancing.GlobalSingle && !SwitchedOff.Is(ProtocolRule.AcquireFirst))
            {
                var placement = _silo.Registration is { } registration
                    ? await registration.RegisterAsync(Key, _class.Declaration.Mode, patience.Token)
                    : await _silo.Directory.AcquireAsync(Key, _silo.Node, _class.Declaration.Mode, patience.Token);
                if (placement.Kind == PlacementKind.Elsewhere)
                {
                    EndElsewhere(call => _silo.Router.GoOn(
                        call, CallEvent.FoundElsewhere(placement.Cluster), $"it is in cluster {placement.Cluster}"));
                    return;
                }

                if (placement.Node != _silo.Node)
                {
                    EndElsewhere(call => _silo.Router.Pass(call, placement.Node!));
                    return;
                }

                Volatile.Write(ref _tenancy, _silo.Directory.TenancyOf(Key) ?? 0);
                if (IsClosing())
                {
                    // Too late: the row says "here", and the next activation here takes it.
                    return;
                }
            }

            await CreateGrainAsync(patience.Token);
        }
        catch (Exception e)
        {
            RuntimeLog.ActivationFailed(_silo.Logger, e, Key);
            EmbeddedMetrics.ActivationFailures.Add(1);
            var failure = e is OperationCanceledException && patience.IsCancellationRequested
                ? new GeoUnavailableException(
                    $"{Key} was not active after {_silo.Options.ActivationTimeout.TotalSeconds} s (ActivationTimeout); the call was not executed.", e)
                : e;
            await EndAsync(new DeactivationReason(DeactivationReasonCode.ActivationFailed, failure.Message, failure));
            return;
        }

        if (!TryBecomeActive())
        {
            await LetGoAsync();
            return;
        }

        EmbeddedMetrics.Activated.Add(1);
        _activated.TrySetResult(true);
        lock (_gate)
        {
            Pump(needed: true);
        }
    }

    private bool TryBecomeActive()
    {
        LifeLimit? met = null;
        lock (_gate)
        {
            if (_isClosing)
            {
                return false;
            }

            _phase = _deactivation is null ? Phase.Active : Phase.Deactivating;
            if (_phase == Phase.Active)
            {
                (met, _limit) = (_limit, null);
            }
        }

        if (met is not null)
        {
            _silo.Deadlines.Remove(met);
        }

        return true;
    }

    /// <summary>Ends the instance after a time, unless it has reached what the time is for; an earlier limit stays.</summary>
    private void Limit(TimeSpan time)
    {
        // What heeds its token ends in order before; the wheel is late by up to one resolution.
        var dueAt = _silo.Deadlines.After(time + (2 * _silo.Options.TimeoutResolution));
        LifeLimit limit;
        LifeLimit? later;
        lock (_gate)
        {
            if (_phase == Phase.Ended || _limit?.DueAt <= dueAt)
            {
                return;
            }

            later = _limit;
            limit = _limit = new LifeLimit(this) { DueAt = dueAt };
        }

        if (later is not null)
        {
            _silo.Deadlines.Remove(later);
        }

        _silo.Deadlines.Add(limit, dueAt);
    }

    private bool IsClosing()
    {
        lock (_gate)
        {
            return _isClosing;
        }
    }

    /// <summary>True for the one that may end the instance: its own deactivation, or the end of its time.</summary>
    private bool TryBeginClosing()
    {
        lock (_gate)
        {
            return !_isClosing && (_isClosing = true);
        }
    }

    private async Task CreateGrainAsync(CancellationToken cancellationToken)
    {
        _states = _class.States.Count == 0 ? [] : _class.States
            .Select(s => _silo.Stores.Create(Key, s, _silo.Serializer, Distrust, _silo.Options.RequestTimeout, _silo.Time)).ToArray();
        foreach (var state in _states)
        {
            await state.LoadAsync(cancellationToken);
        }

        if (IsClosing())
        {
            throw new OperationCanceledException($"{Key} was given up before its state was read.");
        }

        _silo.Around.InstanceBegins(Key, _class.Declaration);
        var grain = _class.Construct(this, _states);
        if (grain is IJournaledGrain journaled)
        {
            _journal = journaled.Attach(this);
            if (_journal.Replica is { } replica)
            {
                RegisterReplica(replica);
            }

            _journal.Start();
        }

        await grain.OnActivateAsync(cancellationToken);
        _grain = grain;
    }

    /// <summary>An instance that was given up meanwhile must not stand in the way of the next one.</summary>
    private void RegisterReplica(IReplica replica)
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                throw new OperationCanceledException($"{Key} was given up before it was active.");
            }

            _replicaRegistration = _silo.Replicas.Register(Key, LeaderStaysActive(replica), _scheduler);
        }
    }

    /// <summary>The leader of a volatile grain serves the other instances: what they send is use of it, too.</summary>
    private IReplica LeaderStaysActive(IReplica replica) =>
        _class.Declaration.Protocol == ViewProtocol.VersionedLeader ? new TouchingReplica(replica, Touch) : replica;

    private void Distrust(string why, Exception cause) =>
        Deactivate(new DeactivationReason(DeactivationReasonCode.ApplicationError, why, cause));

    private void EndElsewhere(Action<GrainCall> goOn)
    {
        if (!TryBeginClosing())
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

    private async Task EndAsync(DeactivationReason reason)
    {
        try
        {
            await EndGrainAsync(reason);
        }
        catch (Exception e)
        {
            RuntimeLog.DeactivationFailed(_silo.Logger, e, Key);
        }

        if (!TryBeginClosing())
        {
            return;
        }

        _silo.Around.InstanceEnded(Key);
        if (Volatile.Read(ref _tenancy) != 0)
        {
            await ReleaseRowAsync();
        }

        HandOut(Close(), reason);
    }

    /// <summary>
    /// Ends an instance whose code did not come to an end in its time. That code may go on; what it could still do to others is cut off:
    /// its stored states refuse, its view is disposed, its calls are answered as of unknown outcome.
    /// </summary>
    private async Task AbandonAsync(bool wasActive, List<Turn> running)
    {
        var reason = wasActive ? _deactivation!.Value : NotActiveInTime();
        RuntimeLog.Abandoned(_silo.Logger, Key, reason, running.Count);
        EmbeddedMetrics.Abandoned.Add(1);
        EmbeddedMetrics.ActivationFailures.Add(wasActive ? 0 : 1);
        foreach (var state in _states)
        {
            state.Close();
        }

        // At once, for the next instance registers too, and this one's scheduler may never come to it.
        UnregisterReplica();
        _silo.Around.InstanceEnded(Key);
        _scheduler.Post(static self => _ = ((Activation)self!).LetGoAsync(), this);
        foreach (var turn in running)
        {
            (turn as GrainCall)?.TryFail(new GeoOutcomeUnknownException(
                $"Whether {turn} took effect is not known: {Key} was deactivated ({reason}), and the call did not end within "
                + $"{_silo.Options.DeactivationTimeout.TotalSeconds} s (DeactivationTimeout). Read before trying again."));
        }

        if (Volatile.Read(ref _tenancy) != 0)
        {
            await ReleaseRowAsync();
        }

        HandOut(Close(), reason);
    }

    private DeactivationReason NotActiveInTime()
    {
        if (_deactivation is { } deactivation)
        {
            return deactivation;
        }

        var failure = new GeoUnavailableException(
            $"{Key} was not active after {_silo.Options.ActivationTimeout.TotalSeconds} s (ActivationTimeout); the call was not executed.");
        return new(DeactivationReasonCode.ActivationFailed, failure.Message, failure);
    }

    private void HandOut(List<Turn> turns, DeactivationReason reason)
    {
        foreach (var turn in turns)
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
                var ended = _hasServed ? CallEventKind.InstanceEndedLater : CallEventKind.InstanceEnded;
                _silo.Router.GoOn(call, ended, $"it was deactivated ({reason})");
            }
        }
    }

    /// <summary>Lets go of what an instance holds that was ended from outside, when its scheduler comes to it.</summary>
    private async Task LetGoAsync()
    {
        try
        {
            _timers.Close();
            await EndJournalAsync(new CancellationToken(canceled: true));
            if (_scope is { } scope)
            {
                await scope.DisposeAsync();
            }
        }
        catch (Exception e)
        {
            RuntimeLog.DeactivationFailed(_silo.Logger, e, Key);
        }
    }

    private async Task EndGrainAsync(DeactivationReason reason)
    {
        using var patience = new CancellationTokenSource(TimeToEnd(), _silo.Time);
        _timers.Close();
        if (_grain is not null)
        {
            EmbeddedMetrics.Deactivated.Add(1, new KeyValuePair<string, object?>("reason", reason.ReasonCode));
            try
            {
                await _grain.OnDeactivateAsync(reason, patience.Token);
            }
            catch (Exception e)
            {
                RuntimeLog.DeactivationFailed(_silo.Logger, e, Key);
            }
        }

        await EndJournalAsync(patience.Token);
        if (_scope is { } scope)
        {
            await scope.DisposeAsync();
        }
    }

    /// <summary>What is left of the time to deactivate, of which the calls that were running have had a part.</summary>
    private TimeSpan TimeToEnd()
    {
        Limit(_silo.Options.DeactivationTimeout);
        long dueAt;
        lock (_gate)
        {
            dueAt = _limit?.DueAt ?? 0;
        }

        var left = _silo.Deadlines.Until(dueAt) - (2 * _silo.Options.TimeoutResolution);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private async Task EndJournalAsync(CancellationToken cancellationToken)
    {
        if (_journal is null)
        {
            return;
        }

        if (_journal.UnconfirmedCount > 0)
        {
            try
            {
                await _journal.ConfirmAsync(cancellationToken);
            }
            catch (Exception e)
            {
                JournalLog.EndedUnconfirmed(
                    _silo.Logger, e, Key, _journal.UnconfirmedCount, _silo.Options.DeactivationTimeout.TotalSeconds);
            }
        }

        UnregisterReplica();
        await _journal.DisposeAsync();
    }

    private void UnregisterReplica()
    {
        IDisposable? registration;
        lock (_gate)
        {
            registration = _replicaRegistration;
        }

        registration?.Dispose();
    }

    private async Task ReleaseRowAsync()
    {
        try
        {
            await _silo.Directory.ReleaseAsync(Key, _silo.Node, Volatile.Read(ref _tenancy));
        }
        catch (Exception e)
        {
            // The row stays and says "here"; the next call activates the grain here again, which is right.
            RuntimeLog.ReleaseFailed(_silo.Logger, e, Key);
        }
    }

    /// <summary>The last step: later calls find no trace of this instance; those that wait are handed out.</summary>
    private List<Turn> Close()
    {
        List<Turn> left;
        LifeLimit? met;
        lock (_gate)
        {
            _phase = Phase.Ended;
            left = _turns.Drain();
            (met, _limit) = (_limit, null);
        }

        if (met is not null)
        {
            _silo.Deadlines.Remove(met);
        }

        _onEnded(this);
        _activated.TrySetResult(false);
        _ended.TrySetResult();
        return left;
    }
}
