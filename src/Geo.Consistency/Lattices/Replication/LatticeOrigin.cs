namespace Geo.Consistency.Lattices;

/// <summary>
/// What an update takes from the replica that it is made at: names for what it adds, stamps for what it writes. Valid while the update is
/// made; one that is kept throws afterwards.
/// </summary>
public sealed class LatticeOrigin
{
    private readonly HybridClock _clock;
    private TransactionStamp? _transaction;
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
    /// A stamp later than all that this replica has given or received; of a transaction with one stamp, that with the number of the write.
    /// </summary>
    /// <exception cref="InvalidOperationException">No update is being made.</exception>
    public Stamp NextStamp()
    {
        CheckIsLent();
        return _transaction?.Next(_clock) ?? _clock.Next();
    }

    /// <summary>
    /// Has an update made, of a transaction with one stamp or of none; it has at least one number, so that replicas can tell it from
    /// others.
    /// </summary>
    internal T Make<T>(T state, Func<T, LatticeOrigin, T> change, TransactionStamp? transaction = null)
    {
        var before = Last;
        (_isLent, _transaction) = (true, transaction);
        try
        {
            var delta = change(state, this);
            Last += Last == before ? 1 : 0;
            return delta;
        }
        finally
        {
            (_isLent, _transaction) = (false, null);
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
