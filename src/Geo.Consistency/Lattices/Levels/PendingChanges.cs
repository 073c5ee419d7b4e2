namespace Geo.Consistency.Lattices;

/// <summary>What a transaction has changed of one grain, and nobody else has seen.</summary>
internal abstract class PendingChanges
{
    /// <summary>Finds out the delta, under the replica's lock; nothing is changed yet.</summary>
    /// <param name="stamp">Gives what it writes its stamps.</param>
    internal abstract void Prepare(TransactionStamp stamp);

    /// <summary>Makes it an update.</summary>
    internal abstract void Make();
}

/// <inheritdoc/>
internal sealed class PendingChanges<T>(LatticeExchange exchange, GrainKey grain, Func<T, LatticeOrigin, T> first) : PendingChanges
    where T : ILattice<T>
{
    private List<Func<T, LatticeOrigin, T>>? _others;
    private LatticeCell<T>? _cell;
    private T _delta = T.Bottom;

    internal void Add(Func<T, LatticeOrigin, T> change) => (_others ??= []).Add(change);

    /// <summary>A state as it would be after the changes.</summary>
    internal T On(T state)
    {
        var preview = exchange.NewPreview();
        return (_others ?? []).Prepend(first).Aggregate(state, (changed, change) => changed.Merge(preview.Make(changed, change)));
    }

    internal override void Prepare(TransactionStamp stamp)
    {
        _cell = exchange.Cell<T>(grain);
        var origin = exchange.Node.Data.Origin;
        _delta = origin.Make(_cell.State, first, stamp);
        if (_others is not null)
        {
            // One delta for all: a grain's context is closed when it is updated, and would take later dots for removed ones.
            var state = _cell.State.Merge(_delta);
            foreach (var change in _others)
            {
                var delta = origin.Make(state, change, stamp);
                (state, _delta) = (state.Merge(delta), _delta.Merge(delta));
            }
        }
    }

    internal override void Make() => exchange.Update(_cell!, (_, _) => _delta);
}
