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
    private int _callsInProgress;
    private long _lastUsed;
    private long _keepUntil;

    // Touched by turns only.
    private Grain? _grain;
    private IJournal? _journal;
    private IDisposable? _replicaRegistration;
    private AsyncServiceScope? _scope;
    private bool _ownsRow;
    private bool _hasServed;

    public Activation(GrainKey key, GrainClass grainClass, SiloContext silo, Action<Activation> onEnded)
    {
        Key = key;
        _class = grainClass;
        _silo = silo;
        _onEnded = onEnded;
        _scheduler = new TurnScheduler(silo.Options.TurnQuantum);
        _turns = new TurnQueue(grainClass.IsReentrant);
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

    /// <summary>Begins to activate, without waiting.</summary>
    public void Begin() => _scheduler.Post(static self => _ = ((Activation)self!).ActivateAsync(), this);

    /// <summary>Takes a call; false when the instance is gone and the call must look for the next one.</summary>
    public bool TryAccept(GrainCall call, TurnQueue.Kind kind)
    {
        var waitsForItself = call.Callers?.Includes(Key) == true;
        bool isFull;
        lock (_gate)
        {
            if (_phase == Phase.Ended)
            {
                return false;
            }

            _lastUsed = _silo.Time.GetTimestamp();
            isFull = _turns.WaitingCount >= _silo.Options.MaxQueuedRequests;
            if (!isFull)
            {
                waitsForItself = waitsForItself && !_turns.WouldStart(kind);
                _callsInProgress++;
                Add(call, kind);
            }
        }

        if (isFull)
        {
            EmbeddedMetrics.QueueRejections.Add(1);
            call.TryFail(new GeoUnavailableException(
                $"{Key} has {_silo.Options.MaxQueuedRequests} calls waiting, as many as MaxQueuedRequests allows; {call} was not executed."));
        }
        else if (waitsForItself)
        {
            call.WaitsForItself();
        }

        return true;
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
        lock (_gate)
        {
            _deactivation ??= reason;
            if (_phase == Phase.Active)
            {
                _phase = Phase.Deactivating;
            }

            Pump(_phase == Phase.Deactivating);
        }
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

    private static long Later(long timestamp, TimeSpan wait, long frequency) =>
        wait.TotalSeconds * frequency < long.MaxValue - timestamp ? timestamp + (long)(wait.TotalSeconds * frequency) : long.MaxValue;

    private long Later(long timestamp, TimeSpan wait) => Later(timestamp, wait, _silo.Time.TimestampFrequency);

    private void Add(ITurn turn, TurnQueue.Kind kind)
    {
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
        while (TryStart(out var turn, out var kind))
        {
            _hasServed = true;
            var run = turn.IsWanted() ? turn.RunAsync(_grain!) : default;
            if (run.IsCompleted)
            {
                EndTurn(turn, kind);
            }
            else
            {
                _ = EndTurnAsync(run, turn, kind);
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

    private bool TryStart(out ITurn turn, out TurnQueue.Kind kind)
    {
        lock (_gate)
        {
            if (_phase == Phase.Active && _turns.TryStart(out turn, out kind))
            {
                return true;
            }

            _isPumping = false;
            (turn, kind) = (null!, default);
            if (_phase == Phase.Deactivating && _turns.RunningCount == 0 && !_isEnding)
            {
                _isEnding = true;
                _ = EndAsync(_deactivation!.Value);
            }

            return false;
        }
    }

    private void EndTurn(ITurn turn, TurnQueue.Kind kind)
    {
        lock (_gate)
        {
            CountEnd(turn, kind);
        }
    }

    private async Task EndTurnAsync(ValueTask run, ITurn turn, TurnQueue.Kind kind)
    {
        await run;
        lock (_gate)
        {
            CountEnd(turn, kind);
            Pump(_phase == Phase.Deactivating || _turns.WaitingCount > 0);
        }
    }

    private void CountEnd(ITurn turn, TurnQueue.Kind kind)
    {
        _turns.Ended(kind);
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
            if (_class.Declaration.Instancing == Instancing.GlobalSingle)
            {
                var placement = await _silo.Directory.AcquireAsync(Key, _silo.Node, _class.Declaration.Mode, patience.Token);
                if (placement.Kind == PlacementKind.Elsewhere)
                {
                    EndElsewhere(placement.Cluster);
                    return;
                }

                _ownsRow = true;
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

        EmbeddedMetrics.Activated.Add(1);
        _activated.TrySetResult(true);
        lock (_gate)
        {
            _phase = _deactivation is null ? Phase.Active : Phase.Deactivating;
            Pump(needed: true);
        }
    }

    private async Task CreateGrainAsync(CancellationToken cancellationToken)
    {
        var states = _class.States.Count == 0 ? [] : _class.States
            .Select(s => _silo.Stores.Create(Key, s, _silo.Serializer, Distrust)).ToArray();
        foreach (var state in states)
        {
            await state.LoadAsync(cancellationToken);
        }

        var grain = _class.Construct(this, states);
        if (grain is IJournaledGrain journaled)
        {
            _journal = journaled.Attach(this);
            if (_journal.Replica is { } replica)
            {
                _replicaRegistration = _silo.Replicas.Register(Key, LeaderStaysActive(replica), _scheduler);
            }

            _journal.Start();
        }

        await grain.OnActivateAsync(cancellationToken);
        _grain = grain;
    }

    /// <summary>The leader of a volatile grain serves the other instances: what they send is use of it, too.</summary>
    private IReplica LeaderStaysActive(IReplica replica) =>
        _class.Declaration.Protocol == ViewProtocol.VersionedLeader ? new TouchingReplica(replica, Touch) : replica;

    private void Distrust(string why, Exception cause) =>
        Deactivate(new DeactivationReason(DeactivationReasonCode.ApplicationError, why, cause));

    private void EndElsewhere(ClusterId cluster)
    {
        foreach (var turn in Close())
        {
            if (turn is GrainCall call)
            {
                _silo.Router.Forward(call, cluster);
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

        if (_ownsRow)
        {
            await ReleaseRowAsync();
        }

        foreach (var turn in Close())
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
                _silo.Router.Reroute(call, $"it was deactivated ({reason})", _hasServed);
            }
        }
    }

    private async Task EndGrainAsync(DeactivationReason reason)
    {
        using var patience = new CancellationTokenSource(_silo.Options.DeactivationTimeout, _silo.Time);
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

        _replicaRegistration?.Dispose();
        await _journal.DisposeAsync();
    }

    private async Task ReleaseRowAsync()
    {
        try
        {
            await _silo.Directory.ReleaseAsync(Key, _silo.Node);
        }
        catch (Exception e)
        {
            // The row stays and says "here"; the next call activates the grain here again, which is right.
            RuntimeLog.ReleaseFailed(_silo.Logger, e, Key);
        }
    }

    /// <summary>The last step: later calls find no trace of this instance; those that wait are handed out.</summary>
    private List<ITurn> Close()
    {
        List<ITurn> left;
        lock (_gate)
        {
            _phase = Phase.Ended;
            left = _turns.Drain();
        }

        _onEnded(this);
        _activated.TrySetResult(false);
        _ended.TrySetResult();
        return left;
    }
}
