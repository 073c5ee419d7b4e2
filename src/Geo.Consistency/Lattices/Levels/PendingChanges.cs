namespace Geo.Consistency.Lattices;

/// <summary>What a transaction has changed of one grain, and nobody else has seen.</summary>
internal abstract class PendingChanges
{
    /// <summary>Finds out the delta, under the replica's lock; nothing is changed yet.</summary>
    internal abstract void Prepare();

    /// <summary>Makes it an update.</summary>
    internal abstract void Make();
}

/// <inheritdoc/>
internal sealed class PendingChanges<T>(LatticeExchange exchange, GrainKey grain) : PendingChanges
    where T : ILattice<T>
{
    private readonly List<Func<T, LatticeOrigin, T>> _changes = [];
    private T _delta = T.Bottom;

    internal void Add(Func<T, LatticeOrigin, T> change) => _changes.Add(change);

    /// <summary>A state as it would be after the changes.</summary>
    internal T On(T state, LatticeOrigin preview) =>
        _changes.Aggregate(state, (changed, change) => changed.Merge(preview.Make(changed, change)));

    internal override void Prepare() => _delta = exchange.Use<T, T>(grain, (node, cell) =>
    {
        // One delta for all: a grain's context is closed when it is updated, and would take later dots for removed ones.
        var (state, all) = (cell.State, T.Bottom);
        foreach (var change in _changes)
        {
            var delta = node.Data.Origin.Make(state, change);
            (state, all) = (state.Merge(delta), all.Merge(delta));
        }

        return all;
    });

    internal override void Make() => exchange.Update<T>(grain, (_, _) => _delta);
}
