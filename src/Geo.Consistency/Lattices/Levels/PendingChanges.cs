namespace Geo.Consistency.Lattices;

/// <summary>What a transaction has changed of one grain, and nobody else has seen.</summary>
internal abstract class PendingChanges
{
    /// <summary>Opens the grain, under the replica's lock.</summary>
    /// <returns>The time of its latest stamp, where that is too far ahead to move the clock.</returns>
    internal abstract ulong Open();

    /// <summary>Finds out the delta of an open grain, under the replica's lock; nothing is changed yet.</summary>
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
    private ulong _after;

    internal void Add(Func<T, LatticeOrigin, T> change) => (_others ??= []).Add(change);

    /// <summary>A state as it would be after the changes.</summary>
    /// <param name="state">The state.</param>
    /// <param name="after">The time of its latest stamp, where that is too far ahead to move the clock.</param>
    internal T On(T state, ulong after)
    {
        var preview = exchange.NewPreview();
        foreach (var change in (_others ?? []).Prepend(first))
        {
            state = state.Merge(preview.Make(state, change, ref after));
        }

        return state;
    }

    internal override ulong Open() => (_cell = exchange.Cell<T>(grain)).Ahead;

    internal override void Prepare(TransactionStamp stamp)
    {
        var origin = exchange.Node.Data.Origin;
        _after = _cell!.Ahead;
        _delta = origin.Make(_cell.State, first, ref _after, stamp);
        if (_others is not null)
        {
            // One delta for all: a grain's context is closed when it is updated, and would take later dots for removed ones.
            var state = _cell.State.Merge(_delta);
            foreach (var change in _others)
            {
                var delta = origin.Make(state, change, ref _after, stamp);
                (state, _delta) = (state.Merge(delta), _delta.Merge(delta));
            }
        }
    }

    internal override void Make()
    {
        exchange.Update(_cell!, (_, _) => _delta);
        _cell!.Ahead = Math.Max(_cell.Ahead, _after);
    }
}
