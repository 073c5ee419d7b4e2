namespace Geo.Consistency.Lattices;

/// <summary>One grain's state at this replica, for whoever uses it in this process. Thread-safe.</summary>
internal sealed class LatticeHandle<T> : IDisposable
    where T : ILattice<T>
{
    private readonly LatticeExchange _exchange;
    private readonly LatticeCell<T> _cell;
    private readonly Action _changed;
    private bool _isDisposed;

    internal LatticeHandle(LatticeExchange exchange, LatticeCell<T> cell)
    {
        (_exchange, _cell, _changed) = (exchange, cell, OnChanged);
        cell.Users++;
        cell.Changed += _changed;
    }

    /// <summary>Told on any thread, under the replica's lock, when the state has grown.</summary>
    internal event Action? Changed;

    /// <summary>The state; never changed, but replaced.</summary>
    internal T State => _exchange.Read(_cell);

    /// <summary>Makes an update, at once and here; other clusters hear of it when the epoch ends.</summary>
    /// <returns>The number of the last update made here.</returns>
    internal long Update(Func<T, LatticeOrigin, T> change) => _exchange.Update(_cell, change);

    public void Dispose() => _exchange.Run(() =>
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            _cell.Users--;
            _cell.Changed -= _changed;
        }
    });

    private void OnChanged() => Changed?.Invoke();
}
