using System.Runtime.InteropServices;

namespace Geo.Consistency.Lattices;

/// <summary>A session's transaction, one after the other: its stamp, and what waits for its end or is kept until then.</summary>
internal sealed class LatticeTransaction(LevelParts parts)
{
    private readonly Dictionary<GrainKey, PendingChanges>? _pending = (parts & LevelParts.Buffers) != 0 ? [] : null;
    private readonly Dictionary<GrainKey, object?>? _read = (parts & LevelParts.Repeats) != 0 ? [] : null;
    private TransactionStamp _stamp = new();
    private int _kept;

    /// <summary>Begins the next one.</summary>
    internal void Begin()
    {
        (_stamp, _kept) = (new(), 0);
        _pending?.Clear();
        _read?.Clear();
    }

    /// <summary>The state that the transaction sees.</summary>
    internal T Read<T>(LatticeExchange exchange, GrainKey grain)
        where T : ILattice<T>
    {
        var (state, ahead) = _read is null ? exchange.Read<T>(grain) : ReadOnce(_read);
        _stamp.After = Math.Max(_stamp.After, ahead);
        return _pending is { Count: > 0 } && _pending.TryGetValue(grain, out var pending)
            ? ((PendingChanges<T>)pending).On(state, ahead)
            : state;

        // The place of a read that fails stays empty.
        (T State, ulong Ahead) ReadOnce(Dictionary<GrainKey, object?> all)
        {
            ref var kept = ref CollectionsMarshal.GetValueRefOrAddDefault(all, grain, out _);
            if (kept is not null)
            {
                return ((T)kept, _stamp.After);
            }

            Keep(exchange);
            var read = exchange.Read<T>(grain);
            kept = read.State;
            return read;
        }
    }

    /// <summary>Makes an update, or keeps it for the commit.</summary>
    internal void Update<T>(LatticeExchange exchange, GrainKey grain, Func<T, LatticeOrigin, T> change)
        where T : ILattice<T>
    {
        if (_pending is null)
        {
            exchange.Update(grain, change, stamp: _stamp);
        }
        else
        {
            Keep(exchange);
            ref var pending = ref CollectionsMarshal.GetValueRefOrAddDefault(_pending, grain, out var isKept);
            if (isKept)
            {
                ((PendingChanges<T>)pending!).Add(change);
            }
            else
            {
                pending = new PendingChanges<T>(exchange, grain, change);
            }
        }
    }

    /// <summary>
    /// Makes what was kept, all at once here, and with a stamp drawn now: one of the beginning could be earlier than those that were read.
    /// </summary>
    internal void Commit(LatticeExchange exchange)
    {
        if (_pending is { Count: > 0 })
        {
            // A commit that fails may be tried again, after others.
            var stamp = new TransactionStamp { After = _stamp.After };
            exchange.Run(() =>
            {
                stamp.After = Math.Max(stamp.After, _pending.Values.Max(static pending => pending.Open()));
                foreach (var pending in _pending.Values)
                {
                    pending.Prepare(stamp);
                }

                foreach (var pending in _pending.Values)
                {
                    pending.Make();
                }
            });
        }
    }

    private void Keep(LatticeExchange exchange)
    {
        var most = exchange.Options.MaxTransactionUpdates;
        _kept = _kept < most ? _kept + 1 : throw new GeoUnavailableException(
            $"A transaction keeps {most} updates and reads, as many as MaxTransactionUpdates allows. Nothing of this call was done.");
    }
}
