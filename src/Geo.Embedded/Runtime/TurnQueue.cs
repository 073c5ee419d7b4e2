namespace Geo.Embedded;

/// <summary>
/// The turns that wait for one grain, and the rules by which the next may start while others run. Not thread-safe: its activation locks.
/// </summary>
/// <param name="isReentrant">True when any turn may start at any time.</param>
internal sealed class TurnQueue(bool isReentrant)
{
    private readonly Queue<Entry> _waiting = new();
    private readonly Queue<Entry> _interleaving = new();
    private long _lastArrival;
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
        var queue = kind == Kind.Interleaved ? _interleaving : _waiting;
        queue.Enqueue(new Entry(turn, kind, ++_lastArrival));
    }

    /// <summary>True when a turn of this kind that came now would not have to wait.</summary>
    public bool WouldStart(Kind kind) => kind == Kind.Interleaved || (_waiting.Count == 0 && MayStart(kind));

    /// <summary>
    /// Takes the oldest turn that may start. What interleaves with all overtakes what has to wait; the others keep their order, so that
    /// what only reads does not overtake what writes.
    /// </summary>
    public bool TryStart(out ITurn turn, out Kind kind)
    {
        var mayWaitingStart = _waiting.TryPeek(out var waiting) && MayStart(waiting.Kind);
        var queue = _interleaving.TryPeek(out var interleaving) && !(mayWaitingStart && waiting.Arrival < interleaving.Arrival) ? _interleaving
            : mayWaitingStart ? _waiting
            : null;
        if (queue is null)
        {
            (turn, kind) = (null!, default);
            return false;
        }

        (turn, kind, _) = queue.Dequeue();
        Count(kind, 1);
        return true;
    }

    /// <summary>A turn has ended.</summary>
    public void Ended(Kind kind) => Count(kind, -1);

    /// <summary>Takes out all that wait, in order.</summary>
    public List<ITurn> Drain()
    {
        List<ITurn> turns = [.. _interleaving.Concat(_waiting).OrderBy(e => e.Arrival).Select(e => e.Turn)];
        _interleaving.Clear();
        _waiting.Clear();
        return turns;
    }

    private bool MayStart(Kind kind) =>
        isReentrant || (_runningExclusive == 0 && (_runningReadOnly == 0 || kind == Kind.ReadOnly));

    private void Count(Kind kind, int change)
    {
        switch (kind)
        {
            case Kind.Interleaved: _runningInterleaved += change; break;
            case Kind.ReadOnly: _runningReadOnly += change; break;
            default: _runningExclusive += change; break;
        }
    }

    private readonly record struct Entry(ITurn Turn, Kind Kind, long Arrival);
}
