// Longer than most: the turns and the phase that lets them run are one state machine, under one lock.
using System.Runtime.CompilerServices;

namespace Geo.Embedded;

/// <summary>
/// The turns of one activation and the phase of its life that decides which of them run: one state machine under one lock. Only it takes
/// the lock, and nothing of the grain's code runs under it.
/// </summary>
internal sealed class ActivationTurns(Activation activation)
{
    // Null while no turn waits or runs.
    private TurnQueue? _turns;
    private Phase _phase = Phase.Activating;
    private StrongBox<DeactivationReason>? _deactivation;
    private bool _isPumping;
    private bool _isEnding;
    private bool _isClosing;
    private LifeLimit? _limit;
    private int _callsInProgress;
    private LastUse _lastUse = new(activation.Silo.Time);

    private enum Phase
    {
        Activating,
        Active,
        Deactivating,
        Ended,
    }

    /// <summary>True once a turn has begun. Touched by turns only.</summary>
    public bool HasServed { get; private set; }

    /// <summary>True when somebody has begun the last step, in order or not.</summary>
    public bool IsClosing
    {
        get
        {
            lock (this)
            {
                return _isClosing;
            }
        }
    }

    /// <summary>Why the instance ends; null when it does not.</summary>
    /// <remarks>Asked by every call: without the lock, for it is set once.</remarks>
    public DeactivationReason? Deactivation => Volatile.Read(ref _deactivation)?.Value;

    /// <summary>The end of the present step's time; null when it has none.</summary>
    public LifeLimit? Limit
    {
        get
        {
            lock (this)
            {
                return _limit;
            }
        }
    }

    /// <summary>True when no call is there and none came for the idle time.</summary>
    public bool IsIdle
    {
        get
        {
            lock (this)
            {
                return _phase == Phase.Active && _callsInProgress == 0
                    && _lastUse.IsPast(activation.Silo.Options.IdleDeactivation, activation.Silo.Time);
            }
        }
    }

    /// <summary>How many calls it has that wait or run; not those whose turn is about to end, which may be answered.</summary>
    public int CallsToServe
    {
        get
        {
            lock (this)
            {
                return _callsInProgress - (_turns?.ReturnedCount ?? 0);
            }
        }
    }

    /// <summary>Takes a call.</summary>
    /// <param name="call">The call.</param>
    /// <param name="kind">How it goes with others.</param>
    /// <param name="comesFromHere">True when the grain itself is among those that wait for it.</param>
    public Acceptance Take(GrainCall call, TurnQueue.Kind kind, bool comesFromHere)
    {
        lock (this)
        {
            if (_phase == Phase.Ended)
            {
                return Acceptance.Gone;
            }

            _lastUse.Renew(activation.Silo.Time);
            if (_turns?.WaitingCount >= activation.Silo.Options.MaxQueuedRequests)
            {
                return Acceptance.TooManyWait;
            }

            if (_turns?.RunningCount >= activation.Silo.Options.MaxRunningRequests)
            {
                return Acceptance.TooManyRun;
            }

            var waitsForItself = comesFromHere && _turns?.WouldStart(kind) == false;
            _callsInProgress++;
            call.HasReturned = false;
            Add(call, kind);
            return waitsForItself ? Acceptance.WaitsForItself : Acceptance.Taken;
        }
    }

    /// <summary>A call was given up: it is taken out if it still waits.</summary>
    public void Drop(GrainCall call)
    {
        lock (this)
        {
            if (call.At == activation && _turns?.Remove(call) == true)
            {
                _callsInProgress--;
                LetQueueGo();
            }
        }
    }

    /// <summary>Takes the tick of a timer; dropped when the grain is not active any more.</summary>
    public void Take(TimerTick tick, bool interleave, bool keepAlive)
    {
        lock (this)
        {
            if (_phase is Phase.Activating or Phase.Active)
            {
                if (keepAlive)
                {
                    _lastUse.Renew(activation.Silo.Time);
                }

                Add(tick, interleave ? TurnQueue.Kind.Interleaved : TurnQueue.Kind.Exclusive);
            }
        }
    }

    /// <summary>Counts as use, though no call came.</summary>
    public void Touch()
    {
        lock (this)
        {
            _lastUse.Renew(activation.Silo.Time);
        }
    }

    /// <summary>Keeps the grain from being idle for a time; zero or less takes that back.</summary>
    public void KeepFor(TimeSpan timeSpan)
    {
        lock (this)
        {
            _lastUse.KeepFor(timeSpan, activation.Silo.Time);
        }
    }

    /// <summary>A turn begins to wait for the grain's view, which may let others in.</summary>
    public void ViewWaitBegins(Turn turn)
    {
        lock (this)
        {
            _turns?.ViewWaitBegins(turn);
            Pump(_phase == Phase.Active && _turns is { WaitingCount: > 0 });
        }
    }

    /// <summary>A wait for the view is over.</summary>
    public void ViewWaitEnds(Turn turn)
    {
        lock (this)
        {
            _turns?.ViewWaitEnds(turn);
        }
    }

    /// <summary>The grain is there, and its turns begin, or it ends at once; false when the instance was ended from outside.</summary>
    /// <param name="met">The limit that it has met by this; null when there is none.</param>
    public bool TryBecomeActive(out LifeLimit? met)
    {
        lock (this)
        {
            met = null;
            if (_isClosing)
            {
                return false;
            }

            _phase = _deactivation is null ? Phase.Active : Phase.Deactivating;
            if (_phase == Phase.Active)
            {
                (met, _limit) = (_limit, null);
            }

            return true;
        }
    }

    /// <summary>Has the turns looked after, now that there is a grain.</summary>
    public void Begin()
    {
        lock (this)
        {
            Pump(needed: true);
        }
    }

    /// <summary>No more turns begin; when the last has ended, the instance does. False when that was asked for before.</summary>
    public bool TryBeginDeactivation(DeactivationReason reason)
    {
        lock (this)
        {
            var isFirst = _deactivation is null && _phase != Phase.Ended;
            _deactivation ??= new(reason);
            if (_phase == Phase.Active)
            {
                _phase = Phase.Deactivating;
            }

            Pump(_phase == Phase.Deactivating);
            return isFirst;
        }
    }

    /// <summary>Sets the end of the present step's time; false when there is nothing to limit, or an earlier one, which stays.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="later">The one that it replaces.</param>
    public bool TryLimit(LifeLimit limit, out LifeLimit? later)
    {
        lock (this)
        {
            later = null;
            if (_phase == Phase.Ended || _limit?.DueAt <= limit.DueAt)
            {
                return false;
            }

            (later, _limit) = (_limit, limit);
            return true;
        }
    }

    /// <summary>The time is up: true for the one that must end the instance from outside.</summary>
    /// <param name="limit">Whose time is up.</param>
    /// <param name="wasActive">True when the instance had come to be active.</param>
    /// <param name="running">The turns that have not ended.</param>
    public bool TryOverrun(LifeLimit limit, out bool wasActive, out List<Turn> running)
    {
        lock (this)
        {
            (wasActive, running) = (_phase != Phase.Activating, []);
            if (_limit != limit || _isClosing)
            {
                return false;
            }

            running = _turns?.Running() ?? [];
            return _isClosing = true;
        }
    }

    /// <summary>True for the one that may end the instance: its own deactivation, or the end of its time.</summary>
    public bool TryBeginClosing()
    {
        lock (this)
        {
            return !_isClosing && (_isClosing = true);
        }
    }

    /// <summary>The last step: no turn is taken any more, and those that wait are handed out.</summary>
    /// <param name="met">The limit that the end has met; null when there is none.</param>
    public List<Turn> End(out LifeLimit? met)
    {
        lock (this)
        {
            _phase = Phase.Ended;
            (met, _limit) = (_limit, null);
            var left = _turns?.Drain() ?? [];
            LetQueueGo();
            return left;
        }
    }

    private void Add(Turn turn, TurnQueue.Kind kind)
    {
        turn.At = activation;
        if (_turns is null)
        {
            _turns = Spare<TurnQueue>.Take();
            _turns.Begin(activation.Class.IsReentrant, activation.Silo.Options.MaxRunningRequests);
        }

        _turns.Enqueue(turn, kind);
        Pump(_phase == Phase.Active);
    }

    /// <summary>Lets a turn look for work, under the lock.</summary>
    private void Pump(bool needed)
    {
        if (needed && !_isPumping)
        {
            _isPumping = true;
            activation.Scheduler.Post(static self => ((ActivationTurns)self!).Run(), this);
        }
    }

    private void Run()
    {
        bool wereLast;
        while (TryStart(out var turn, out wereLast))
        {
            HasServed = true;
            var run = turn.IsWanted() ? RunAsync(turn) : default;
            if (run.IsCompleted)
            {
                EndTurn(turn);
            }
            else
            {
                _ = EndTurnAsync(run, turn);
            }

            if (activation.Scheduler.QuantumIsOver)
            {
                lock (this)
                {
                    _isPumping = false;
                    Pump(needed: true);
                }

                return;
            }
        }

        if (wereLast)
        {
            activation.TurnsHaveEnded(Deactivation!.Value);
        }
    }

    /// <summary>A silo without its lease must not run a single-instance grain: others may have taken it over.</summary>
    private ValueTask RunAsync(Turn turn)
    {
        var guard = activation.Guard;
        if (guard is { MayServe: false })
        {
            return RunSoonAsync(turn, guard);
        }

        if (guard is not null && turn is GrainCall call)
        {
            call.Guard = guard;
        }

        return turn.RunAsync(activation.Instance.Grain!);
    }

    /// <summary>A silo that stood still renews its lease first.</summary>
    private async ValueTask RunSoonAsync(Turn turn, ILeaseGuard guard)
    {
        if (!await guard.MayServeSoonAsync())
        {
            turn.Unserved(activation.Key);
        }
        else if (turn.IsWanted())
        {
            await RunAsync(turn);
        }
    }

    /// <summary>Takes the next turn that may run.</summary>
    /// <param name="turn">The turn.</param>
    /// <param name="wereLast">True, once, when there will be none: the instance ends in order now.</param>
    private bool TryStart(out Turn turn, out bool wereLast)
    {
        lock (this)
        {
            wereLast = false;
            if (_phase == Phase.Active && _turns is { } turns && turns.TryStart(out turn))
            {
                return true;
            }

            _isPumping = false;
            turn = null!;
            wereLast = _phase == Phase.Deactivating && _turns is not { RunningCount: > 0 } && !_isEnding && !_isClosing;
            _isEnding |= wereLast;
            return false;
        }
    }

    private void EndTurn(Turn turn)
    {
        lock (this)
        {
            CountEnd(turn);
        }

        GoOn(turn);
    }

    private async Task EndTurnAsync(ValueTask run, Turn turn)
    {
        try
        {
            await run;
        }
        finally
        {
            // Also of a turn that breaks its promise not to throw: the grain has others.
            lock (this)
            {
                CountEnd(turn);
                Pump(_phase == Phase.Deactivating || _turns is { WaitingCount: > 0 });
            }
        }

        GoOn(turn);
    }

    /// <summary>What a read replica could not answer goes on to the grain's instance.</summary>
    private void GoOn(Turn turn)
    {
        if (activation.Class.IsReplica && turn is GrainCall { IsForInstance: true, HasEnded: false } call)
        {
            activation.Silo.Router.Route(call);
        }
    }

    /// <summary>An idle activation keeps no queue.</summary>
    private void LetQueueGo()
    {
        if (_turns is { WaitingCount: 0, RunningCount: 0 } unused)
        {
            _turns = null;
            Spare<TurnQueue>.Give(unused);
        }
    }

    private void CountEnd(Turn turn)
    {
        _turns!.Ended(turn);
        LetQueueGo();
        if (turn is GrainCall)
        {
            _callsInProgress--;
            _lastUse.Renew(activation.Silo.Time);
        }
    }
}
