namespace Geo.Embedded;

/// <summary>
/// The turns that wait for one grain, and the rules by which the next may start while others run. Not thread-safe: its activation locks.
/// </summary>
/// <remarks>
/// While a turn waits for the grain's view, read-only turns are let in, past those that must wait, so that a store that is away does not
/// keep local reads from being answered (GEO section 2.2, local operations). A turn that was let in lets no others in by waiting itself:
/// otherwise an unbroken sequence of readers would keep a writer out for ever.
/// </remarks>
internal sealed class TurnQueue
{
    private bool _isReentrant;
    private int _maxRunning;
    private TurnList _exclusive;
    private TurnList _readOnly;
    private TurnList _interleaved;
    private TurnList _running;
    private long _lastArrival;
    private int _runningExclusive;
    private int _runningReadOnly;
    private int _exclusiveInView;
    private int _readOnlyInView;

    /// <summary>How turns of one kind go with others.</summary>
    public enum Kind : byte
    {
        /// <summary>Runs alone.</summary>
        Exclusive,

        /// <summary>Runs beside other read-only turns, and beside one that waits for the grain's view.</summary>
        ReadOnly,

        /// <summary>Runs beside any.</summary>
        Interleaved,
    }

    /// <summary>How many wait.</summary>
    public int WaitingCount => _exclusive.Count + _readOnly.Count + _interleaved.Count;

    /// <summary>How many have started and not ended.</summary>
    public int RunningCount => _running.Count;

    /// <summary>How many of those that run have nothing left to do but to end.</summary>
    public int ReturnedCount
    {
        get
        {
            var count = 0;
            for (var turn = _running.First; turn is not null; turn = turn.After)
            {
                count += turn is GrainCall { HasReturned: true } ? 1 : 0;
            }

            return count;
        }
    }

    /// <summary>True when those that run wait for the view and let read-only turns in.</summary>
    private bool LetsReadersIn => _runningExclusive == _exclusiveInView && _exclusiveInView + _readOnlyInView > 0;

    /// <summary>Serves an activation from now on, until no turn waits or runs.</summary>
    /// <param name="isReentrant">True when any turn may start at any time.</param>
    /// <param name="maxRunning">How many may run at a time.</param>
    public void Begin(bool isReentrant, int maxRunning) => (_isReentrant, _maxRunning) = (isReentrant, maxRunning);

    /// <summary>Adds a turn at the end.</summary>
    public void Enqueue(Turn turn, Kind kind)
    {
        (turn.Kind, turn.Present, turn.Arrival, turn.WasLetIn, turn.ViewWaits) = (kind, Turn.Stage.Waiting, ++_lastArrival, false, 0);
        ListOf(kind).Add(turn);
    }

    /// <summary>True when a turn of this kind that came now would not have to wait.</summary>
    public bool WouldStart(Kind kind) => RunningCount < _maxRunning
        && (kind == Kind.Interleaved
            || (kind == Kind.ReadOnly && LetsReadersIn)
            || (_exclusive.Count == 0 && _readOnly.Count == 0 && MayStart(kind)));

    /// <summary>
    /// Takes the oldest turn that may start. What interleaves with all overtakes what has to wait; the others keep their order, so that
    /// what only reads does not overtake what writes, unless it is let in.
    /// </summary>
    public bool TryStart(out Turn turn)
    {
        var next = RunningCount < _maxRunning ? Next() : null;
        turn = next!;
        if (next is null)
        {
            return false;
        }

        ListOf(next.Kind).Remove(next);
        next.Present = Turn.Stage.Running;
        _running.Add(next);
        CountRunning(next.Kind, 1);
        return true;
    }

    /// <summary>A turn has ended.</summary>
    public void Ended(Turn turn)
    {
        if (turn.ViewWaits > 0)
        {
            CountInView(turn, -1);
        }

        turn.Present = Turn.Stage.None;
        _running.Remove(turn);
        CountRunning(turn.Kind, -1);
    }

    /// <summary>Takes out a turn that waits; false when it does not.</summary>
    public bool Remove(Turn turn)
    {
        if (turn.Present != Turn.Stage.Waiting)
        {
            return false;
        }

        ListOf(turn.Kind).Remove(turn);
        turn.Present = Turn.Stage.None;
        return true;
    }

    /// <summary>A turn that runs begins to wait for the grain's view; it may do so more than once at a time.</summary>
    public void ViewWaitBegins(Turn turn)
    {
        if (turn.ViewWaits++ == 0)
        {
            CountInView(turn, 1);
        }
    }

    /// <summary>One of the turn's waits is over; nothing happens if the turn itself is.</summary>
    public void ViewWaitEnds(Turn turn)
    {
        if (turn.Present == Turn.Stage.Running && --turn.ViewWaits == 0)
        {
            CountInView(turn, -1);
        }
    }

    /// <summary>Those that have started and not ended, in the order in which they started.</summary>
    public List<Turn> Running()
    {
        var turns = new List<Turn>(RunningCount);
        for (var turn = _running.First; turn is not null; turn = turn.After)
        {
            turns.Add(turn);
        }

        return turns;
    }

    /// <summary>Takes out all that wait, in order.</summary>
    public List<Turn> Drain()
    {
        var turns = new List<Turn>(WaitingCount);
        while (Earlier(Earlier(_exclusive.First, _readOnly.First), _interleaved.First) is { } turn)
        {
            Remove(turn);
            turns.Add(turn);
        }

        return turns;
    }

    private static Turn? Earlier(Turn? one, Turn? other) => one is null || other?.Arrival < one.Arrival ? other : one;

    private Turn? Next()
    {
        var waiting = Earlier(_exclusive.First, _readOnly.First);
        if (waiting is not null && !MayStart(waiting.Kind))
        {
            waiting = LetsReadersIn ? _readOnly.First : null;
            waiting?.WasLetIn = true;
        }

        return Earlier(_interleaved.First, waiting);
    }

    private bool MayStart(Kind kind) =>
        _isReentrant || (_runningExclusive == 0 && (_runningReadOnly == 0 || kind == Kind.ReadOnly));

    private void CountInView(Turn turn, int change)
    {
        if (turn.Kind == Kind.Exclusive)
        {
            _exclusiveInView += change;
        }
        else if (turn is { Kind: Kind.ReadOnly, WasLetIn: false })
        {
            _readOnlyInView += change;
        }
    }

    private ref TurnList ListOf(Kind kind)
    {
        switch (kind)
        {
            case Kind.Interleaved: return ref _interleaved;
            case Kind.ReadOnly: return ref _readOnly;
            default: return ref _exclusive;
        }
    }

    private void CountRunning(Kind kind, int change)
    {
        switch (kind)
        {
            case Kind.Interleaved: break;
            case Kind.ReadOnly: _runningReadOnly += change; break;
            default: _runningExclusive += change; break;
        }
    }
}
