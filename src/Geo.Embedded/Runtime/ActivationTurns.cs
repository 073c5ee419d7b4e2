// Longer than most: the turns and the phase that lets them run are one state machine, under one lock.
namespace Geo.Embedded;

/// <summary>
/// The turns of one activation and the phase of its life that decides which of them run: one state machine under one lock. Only it takes
/// the lock, and nothing of the grain's code runs under it.
/// </summary>
internal sealed class ActivationTurns(Activation activation, GrainClass grainClass, SiloContext silo, TurnScheduler scheduler)
{
    private readonly Lock _gate = new();
    private readonly TurnQueue _turns = new(grainClass.IsReentrant, silo.Options.MaxRunningRequests);
    private readonly ILeaseGuard? _guard = grainClass.Declaration.Instancing == Instancing.GlobalSingle ? silo.Guard : null;

    private Phase _phase = Phase.Activating;
    private DeactivationReason? _deactivation;
    private bool _isPumping;
    private bool _isEnding;
    private bool _isClosing;
    private LifeLimit? _limit;
    private int _callsInProgress;
    private LastUse _lastUse = new(silo.Time);
    private object? _grain;

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
            lock (_gate)
            {
                return _isClosing;
            }
        }
    }

    /// <summary>Why the instance ends; null when it does not.</summary>
    public DeactivationReason? Deactivation
    {
        get
        {
            lock (_gate)
            {
                return _deactivation;
            }
        }
    }

    /// <summary>The end of the present step's time; null when it has none.</summary>
    public LifeLimit? Limit
    {
        get
        {
            lock (_gate)
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
            lock (_gate)
            {
                return _phase == Phase.Active && _callsInProgress == 0 && _lastUse.IsPast(silo.Options.IdleDeactivation);
            }
        }
    }

    /// <summary>Takes a call.</summary>
    /// <param name="call">The call.</param>
    /// <param name="kind">How it goes with others.</param>
    /// <param name="comesFromHere">True when the grain itself is among those that wait for it.</param>
    public Acceptance Take(GrainCall call, TurnQueue.Kind kind, bool comesFromHere)
    {
        lock (_gate)
        {
            if (_phase == Phase.Ended)
            {
                return Acceptance.Gone;
            }

            _lastUse.Renew();
            if (_turns.WaitingCount >= silo.Options.MaxQueuedRequests)
            {
                return Acceptance.TooManyWait;
            }

            if (_turns.RunningCount >= silo.Options.MaxRunningRequests)
            {
                return Acceptance.TooManyRun;
            }

            var waitsForItself = comesFromHere && !_turns.WouldStart(kind);
            _callsInProgress++;
            Add(call, kind);
            return waitsForItself ? Acceptance.WaitsForItself : Acceptance.Taken;
        }
    }

    /// <summary>A call was given up: it is taken out if it still waits.</summary>
    public void Drop(GrainCall call)
    {
        lock (_gate)
        {
            if (call.At == activation && _turns.Remove(call))
            {
                _callsInProgress--;
            }
        }
    }

    /// <summary>Takes the tick of a timer; dropped when the grain is not active any more.</summary>
    public void Take(TimerTick tick, bool interleave, bool keepAlive)
    {
        lock (_gate)
        {
            if (_phase is Phase.Activating or Phase.Active)
            {
                if (keepAlive)
                {
                    _lastUse.Renew();
                }

                Add(tick, interleave ? TurnQueue.Kind.Interleaved : TurnQueue.Kind.Exclusive);
            }
        }
    }

    /// <summary>Counts as use, though no call came.</summary>
    public void Touch()
    {
        lock (_gate)
        {
            _lastUse.Renew();
        }
    }

    /// <summary>Keeps the grain from being idle for a time; zero or less takes that back.</summary>
    public void KeepFor(TimeSpan timeSpan)
    {
        lock (_gate)
        {
            _lastUse.KeepFor(timeSpan);
        }
    }

    /// <summary>A turn begins to wait for the grain's view, which may let others in.</summary>
    public void ViewWaitBegins(Turn turn)
    {
        lock (_gate)
        {
            _turns.ViewWaitBegins(turn);
            Pump(_phase == Phase.Active && _turns.WaitingCount > 0);
        }
    }

    /// <summary>A wait for the view is over.</summary>
    public void ViewWaitEnds(Turn turn)
    {
        lock (_gate)
        {
            _turns.ViewWaitEnds(turn);
        }
    }

    /// <summary>The grain is there, and its turns begin, or it ends at once; false when the instance was ended from outside.</summary>
    /// <param name="grain">The grain.</param>
    /// <param name="met">The limit that it has met by this; null when there is none.</param>
    public bool TryBecomeActive(object grain, out LifeLimit? met)
    {
        lock (_gate)
        {
            met = null;
            if (_isClosing)
            {
                return false;
            }

            _grain = grain;
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
        lock (_gate)
        {
            Pump(needed: true);
        }
    }

    /// <summary>No more turns begin; when the last has ended, the instance does. False when that was asked for before.</summary>
    public bool TryBeginDeactivation(DeactivationReason reason)
    {
        lock (_gate)
        {
            var isFirst = _deactivation is null && _phase != Phase.Ended;
            _deactivation ??= reason;
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
        lock (_gate)
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
        lock (_gate)
        {
            (wasActive, running) = (_phase != Phase.Activating, []);
            if (_limit != limit || _isClosing)
            {
                return false;
            }

            running = _turns.Running();
            return _isClosing = true;
        }
    }

    /// <summary>True for the one that may end the instance: its own deactivation, or the end of its time.</summary>
    public bool TryBeginClosing()
    {
        lock (_gate)
        {
            return !_isClosing && (_isClosing = true);
        }
    }

    /// <summary>The last step: no turn is taken any more, and those that wait are handed out.</summary>
    /// <param name="met">The limit that the end has met; null when there is none.</param>
    public List<Turn> End(out LifeLimit? met)
    {
        lock (_gate)
        {
            _phase = Phase.Ended;
            (met, _limit) = (_limit, null);
            return _turns.Drain();
        }
    }

    private void Add(Turn turn, TurnQueue.Kind kind)
    {
        turn.At = activation;
        _turns.Enqueue(turn, kind);
        Pump(_phase == Phase.Active);
    }

    /// <summary>Lets a turn look for work, under the lock.</summary>
    private void Pump(bool needed)
    {
        if (needed && !_isPumping)
        {
            _isPumping = true;
            scheduler.Post(static self => ((ActivationTurns)self!).Run(), this);
        }
    }

    private void Run()
    {
        bool wereLast;
        while (TryStart(out var turn, out wereLast))
        {
            HasServed = true;
            var run = turn.IsWanted() && IsServed(turn) ? turn.RunAsync(_grain!) : default;
            if (run.IsCompleted)
            {
                EndTurn(turn);
            }
            else
            {
                _ = EndTurnAsync(run, turn);
            }

            if (scheduler.QuantumIsOver)
            {
                lock (_gate)
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
    private bool IsServed(Turn turn)
    {
        if (_guard is { MayServe: false })
        {
            turn.Unserved(activation.Key);
            return false;
        }

        if (_guard is not null && turn is GrainCall call)
        {
            call.Guard = _guard;
        }

        return true;
    }

    /// <summary>Takes the next turn that may run.</summary>
    /// <param name="turn">The turn.</param>
    /// <param name="wereLast">True, once, when there will be none: the instance ends in order now.</param>
    private bool TryStart(out Turn turn, out bool wereLast)
    {
        lock (_gate)
        {
            wereLast = false;
            if (_phase == Phase.Active && _turns.TryStart(out turn))
            {
                return true;
            }

            _isPumping = false;
            turn = null!;
            wereLast = _phase == Phase.Deactivating && _turns.RunningCount == 0 && !_isEnding && !_isClosing;
            _isEnding |= wereLast;
            return false;
        }
    }

    private void EndTurn(Turn turn)
    {
        lock (_gate)
        {
            CountEnd(turn);
        }

        GoOn(turn);
    }

    private async Task EndTurnAsync(ValueTask run, Turn turn)
    {
        await run;
        lock (_gate)
        {
            CountEnd(turn);
            Pump(_phase == Phase.Deactivating || _turns.WaitingCount > 0);
        }

        GoOn(turn);
    }

    /// <summary>What a read replica could not answer goes on to the grain's instance.</summary>
    private void GoOn(Turn turn)
    {
        if (grainClass.IsReplica && turn is GrainCall { IsForInstance: true, HasEnded: false } call)
        {
            silo.Router.Route(call);
        }
    }

    private void CountEnd(Turn turn)
    {
        _turns.Ended(turn);
        if (turn is GrainCall)
        {
            _callsInProgress--;
            _lastUse.Renew();
        }
    }
}
