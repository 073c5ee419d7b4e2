namespace Geo.Consistency.Lattices;

/// <summary>One transaction of a session: its stamp, and what waits for its end or is kept until then.</summary>
internal sealed class LatticeTransaction(LevelParts parts)
{
    private readonly TransactionStamp _stamp = new();
    private readonly Dictionary<GrainKey, PendingChanges> _pending = [];
    private readonly Dictionary<GrainKey, object> _read = [];
    private int _kept;

    /// <summary>The state that the transaction sees.</summary>
    internal T Read<T>(LatticeExchange exchange, GrainKey grain)
        where T : ILattice<T> => exchange.Use<T, T>(grain, (node, cell) =>
    {
        var state = cell.State;
        if ((parts & LevelParts.Repeats) != 0 && !_read.TryAdd(grain, state))
        {
            state = (T)_read[grain];
        }
        else if ((parts & LevelParts.Repeats) != 0)
        {
            Keep(node);
        }

        return _pending.TryGetValue(grain, out var pending) ? ((PendingChanges<T>)pending).On(state, node.Data.NewPreview()) : state;
    });

    /// <summary>Makes an update, or keeps it for the commit.</summary>
    internal void Update<T>(LatticeExchange exchange, GrainKey grain, Func<T, LatticeOrigin, T> change)
        where T : ILattice<T>
    {
        if ((parts & LevelParts.Buffers) == 0)
        {
            Stamped(exchange, () => exchange.Update(grain, change));
            return;
        }

        exchange.Use<T, bool>(grain, (node, _) =>
        {
            Keep(node);
            if (!_pending.TryGetValue(grain, out var pending))
            {
                _pending.Add(grain, pending = new PendingChanges<T>(exchange, grain));
            }

            ((PendingChanges<T>)pending).Add(change);
            return true;
        });
    }

    /// <summary>
    /// Makes what was kept, all at once here, and with a stamp drawn now: one of the beginning could be earlier than those that were read.
    /// </summary>
    internal void Commit(LatticeExchange exchange) => Stamped(exchange, () =>
    {
        foreach (var pending in _pending.Values)
        {
            pending.Prepare();
        }

        foreach (var pending in _pending.Values)
        {
            pending.Make();
        }
    });

    private void Stamped(LatticeExchange exchange, Action action) => exchange.Run(() =>
    {
        var origin = exchange.Node.Data.Origin;
        origin.Transaction = _stamp;
        try
        {
            action();
        }
        finally
        {
            origin.Transaction = null;
        }
    });

    private void Keep(LatticeNode node)
    {
        var most = node.Data.Options.MaxTransactionUpdates;
        _kept = _kept < most ? _kept + 1 : throw new GeoUnavailableException(
            $"A transaction keeps {most} updates and reads, as many as MaxTransactionUpdates allows. Nothing of this call was done.");
    }
}
