namespace Geo.Messaging.Overlays;

/// <summary>The latest items, up to a limit; the oldest give way.</summary>
internal sealed class RecentSet<T>(int limit)
    where T : notnull
{
    private readonly HashSet<T> _items = [];
    private readonly Queue<T> _order = new();

    /// <summary>Remembers an item.</summary>
    /// <returns>False when it was remembered already.</returns>
    public bool Add(T item)
    {
        if (!_items.Add(item))
        {
            return false;
        }

        _order.Enqueue(item);
        if (_order.Count > limit)
        {
            _items.Remove(_order.Dequeue());
        }

        return true;
    }
}
