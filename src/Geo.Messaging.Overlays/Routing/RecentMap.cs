namespace Geo.Messaging.Overlays;

/// <summary>A dictionary of limited size: a new key takes the place of the one added first.</summary>
internal sealed class RecentMap<TKey, TValue>(int limit)
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _values = [];
    private readonly Queue<TKey> _order = new();

    public bool TryGetValue(TKey key, out TValue? value) => _values.TryGetValue(key, out value);

    public void Set(TKey key, TValue value)
    {
        if (!_values.ContainsKey(key))
        {
            _order.Enqueue(key);
            if (_order.Count > limit)
            {
                _values.Remove(_order.Dequeue());
            }
        }

        _values[key] = value;
    }
}
