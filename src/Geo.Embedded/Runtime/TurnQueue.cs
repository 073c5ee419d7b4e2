namespace Geo.Embedded;

/// <summary>
/// The turns that wait for one grain, and the rules by which the next may start while others run. Not thread-safe: its activation locks.
/// </summary>
/// <param name="isReentrant">True when any turn may start at any time.</param>
internal sealed class TurnQueue(bool isReentrant)
{
    private readonly Queue<Entry> _waiting = new();
    private readonly Queue<ITurn> _interleaving = new();
    private int _runningExclusive;
    private int _runningReadOnly;
    private int _runningInterleaved;

    /// <summary>How turns of one kind go with others.</summary>
    public enum Kind
    {
        /// <summary>Runs alone.</summary>
        Exclusive,

        /// <summary>Runs beside other read-only turns.</summary>
        ReadOnly,

        /// <summary>Runs beside any.</summary>
        Interleaved,
    }

    /// <summary>How many wait.</summary>
    public int WaitingCount => _waiting.Count + _interleaving.Count;

    /// <summary>How many have started and not ended.</summary>
    public int RunningCount => _runningExclusive + _runningReadOnly + _runningInterleaved;

    /// <summary>Adds a turn at the end.</summary>
    public void Enqueue(ITurn turn, Kind kind)
    {
        if (kind == Kind.Interleaved)
        {
            _interleaving.Enqueue(turn);
        }
        else
        {
            _waiting.Enqueue(new Entry(turn, kind));
        }
    }

    /// <summary>True when a turn of this kind that came now would not have to wait.</summary>
    public bool WouldStart(Kind kind) => kind == Kind.Interleaved || (_waiting.Count == 0 && MayStart(kind));

    /// <summary>
    /// Takes the next turn that may start. Turns that interleave with all go first; the others keep their order, so that what only reads
    /// does not overtake what writes.
    /// </summary>
    public bool TryStart(out ITurn turn, out Kind kind)
    {
        if (_interleaving.TryDequeue(out turn!))
        {
            kind = Kind.Interleaved;
            _runningInterleaved++;
            return true;
        }

        if (_waiting.TryPeek(out var next) && MayStart(next.Kind))
        {
            _waiting.Dequeue();
            (turn, kind) = (next.Turn, next.Kind);
            if (kind == Kind.ReadOnly)
            {
                _runningReadOnly++;
            }
            else
            {
                _runningExclusive++;
            }

            return true;
        }

        kind = default;
        return false;
    }

    /// <summary>A turn has ended.</summary>
    public void Ended(Kind kind)
    {
        switch (kind)
        {
            case Kind.Interleaved: _runningInterleaved--; break;
            case Kind.ReadOnly: _runningReadOnly--; break;
            default: _runningExclusive--; break;
        }
    }

    /// <summary>Takes out all that wait, in order.</summary>
    public List<ITurn> Drain()
    {
        List<ITurn> turns = [.. _interleaving, .. _waiting.Select(e => e.Turn)];
        _interleaving.Clear();
        _waiting.Clear();
        return turns;
    }

    private bool MayStart(Kind kind) =>
        isReentrant || (_runningExclusive == 0 && (_runningReadOnly == 0 || kind == Kind.ReadOnly));

    private readonly record struct Entry(ITurn Turn, Kind Kind);
}
