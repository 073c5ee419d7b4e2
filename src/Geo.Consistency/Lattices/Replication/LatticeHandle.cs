using System.Runtime.CompilerServices;

namespace Geo.Consistency.Lattices;

/// <summary>One grain's state at this replica, for whoever uses it in this process. Thread-safe.</summary>
internal sealed class LatticeHandle<T> : IDisposable
    where T : ILattice<T>
{
    private readonly LatticeExchange _exchange;
    private readonly LatticeCell<T> _cell;
    private readonly Action _changed;
    private readonly ChangeSignal _signal;
    private bool _isDisposed;

    internal LatticeHandle(LatticeExchange exchange, LatticeCell<T> cell, int maxWaiters)
    {
        (_exchange, _cell, _signal) = (exchange, cell, new(cell.Key, maxWaiters));
        _changed = _signal.Changed;
        cell.Users++;
        cell.Changed += _changed;
    }

    /// <summary>The state; never changed, but replaced.</summary>
    internal T State => _exchange.Read(_cell);

    /// <summary>Makes an update, at once and here; other clusters hear of it when the epoch ends.</summary>
    internal void Update(Func<T, LatticeOrigin, T> change) => _exchange.Update(_cell, change);

    /// <summary>Waits until updates made here are known in so many of the clusters that have the grain by the configuration.</summary>
    internal Task KnownInAsync(int clusters, CancellationToken cancellationToken) =>
        _exchange.KnownInAsync(_cell, clusters, cancellationToken);

    /// <summary>Waits until updates made here are known in so many clusters, or in all, where there are fewer.</summary>
    internal Task ConfirmAsync(int clusters, CancellationToken cancellationToken) =>
        KnownInAsync(Math.Min(clusters, _exchange.Clusters), cancellationToken);

    /// <summary>Waits until updates made here are stored.</summary>
    internal Task DurableAsync(CancellationToken cancellationToken) => _exchange.DurableAsync(_cell, cancellationToken);

    /// <summary>Waits until what all who answer have is here.</summary>
    internal Task PullAsync(CancellationToken cancellationToken) => _exchange.PullAsync(cancellationToken);

    /// <summary>Deletes what is known here.</summary>
    /// <exception cref="NotSupportedException">The lattice only grows.</exception>
    internal void Delete()
    {
        if (State is not IDeletable<T>)
        {
            throw new NotSupportedException(
                $"A {T.TypeName} cannot be deleted: an older copy would bring it back. Put it in a Generation, or use a dotted lattice.");
        }

        Update(static (state, origin) => ((IDeletable<T>)state).Delete(origin));
    }

    /// <summary>The present state, and then the newest one after changes, however many there were since the last.</summary>
    /// <exception cref="OperationCanceledException">The wait was given up, or the grain is deactivated.</exception>
    internal async IAsyncEnumerable<T> ChangesAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (true)
        {
            var (state, next) = (T.Bottom, Task.CompletedTask);
            _exchange.Run(() => (state, next) = _isDisposed ? throw Ended() : (_cell.State, _signal.NextAsync(cancellationToken)));
            yield return state;
            await next;
        }
    }

    public void Dispose() => _exchange.Run(() =>
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            _cell.Users--;
            _cell.Changed -= _changed;
            _signal.Fail(Ended());
        }
    });

    private OperationCanceledException Ended() => new($"The grain {_cell.Key} is deactivated.");
}
