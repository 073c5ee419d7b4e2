namespace Geo.Consistency.Lattices;

/// <summary>
/// What an update takes from the replica that it is made at: names for what it adds, stamps for what it writes. Valid while the update is
/// made; one that is kept throws afterwards.
/// </summary>
public sealed class LatticeOrigin
{
    private readonly HybridClock _clock;
    private TransactionStamp? _transaction;
    private ulong _after;
    private bool _isLent;

    internal LatticeOrigin(HybridClock clock, long last = 0) => (_clock, Last) = (clock, last);

    /// <summary>The replica, for counters: the row that it alone writes.</summary>
    public ReplicaId Source => _clock.Source;

    /// <summary>The last number that was given.</summary>
    internal long Last { get; private set; }

    /// <summary>A name for one thing that the update adds or removes; each time another one.</summary>
    /// <exception cref="InvalidOperationException">No update is being made.</exception>
    public Dot NextDot()
    {
        CheckIsLent();
        return new(Source, ++Last);
    }

    /// <summary>
    /// A stamp later than all that this replica has given, or received but for what was too far ahead, and later than those of the grain;
    /// of a transaction with one stamp, that with the number of the write.
    /// </summary>
    /// <exception cref="InvalidOperationException">No update is being made.</exception>
    public Stamp NextStamp()
    {
        CheckIsLent();
        var stamp = _transaction?.Next(_clock, _after) ?? _clock.Next(_after);
        _after = stamp.Time > _clock.Latest.Time ? stamp.Time : _after;
        return stamp;
    }

    /// <summary>
    /// Has an update made, of a transaction with one stamp or of none; it has at least one number, so that replicas can tell it from
    /// others.
    /// </summary>
    /// <param name="state">The state.</param>
    /// <param name="change">Gives the delta.</param>
    /// <param name="after">The time of the grain's latest stamp where that is too far ahead to move the clock; then of the delta's.</param>
    /// <param name="transaction">The stamps of the transaction; null for none.</param>
    internal T Make<T>(T state, Func<T, LatticeOrigin, T> change, ref ulong after, TransactionStamp? transaction = null)
    {
        var before = Last;
        (_isLent, _transaction, _after) = (true, transaction, after);
        try
        {
            var delta = change(state, this);
            Last += Last == before ? 1 : 0;
            return delta;
        }
        finally
        {
            (_isLent, _transaction, after) = (false, null, _after);
        }
    }

    /// <summary>Gives a number to what no update of the application made.</summary>
    internal void Skip() => Last++;

    private void CheckIsLent()
    {
        if (!_isLent)
        {
            throw new InvalidOperationException("No update is being made: use the origin within the function that Update is given.");
        }
    }
}
