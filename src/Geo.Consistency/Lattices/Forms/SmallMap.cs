using System.Collections;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A sorted map of few entries that is never changed, but replaced. One entry, the last one written, stands beside the others: who writes
/// one key again and again, as a replica does its own, copies nothing of the others and allocates nothing.
/// </summary>
/// <typeparam name="TKey">The keys' type.</typeparam>
/// <typeparam name="TValue">The values' type.</typeparam>
internal readonly struct SmallMap<TKey, TValue> : IReadOnlyList<KeyValuePair<TKey, TValue>>
    where TKey : struct, IComparable<TKey>
{
    // Ascending, without the one beside them; null for none.
    private readonly KeyValuePair<TKey, TValue>[]? _others;
    private readonly TKey _key;
    private readonly TValue _value;

    // The place of the one beside them, and one more; 0 for an empty map.
    private readonly int _place;

    private SmallMap(KeyValuePair<TKey, TValue>[]? others, TKey key, TValue value) =>
        (_others, _key, _value, _place) = (others, key, value, ~Search(others, key) + 1);

    private SmallMap(in SmallMap<TKey, TValue> map, TValue value) =>
        (_others, _key, _value, _place) = (map._others, map._key, value, map._place);

    private SmallMap(KeyValuePair<TKey, TValue>[]? others, TKey key, TValue value, int place) =>
        (_others, _key, _value, _place) = (others, key, value, place);

    /// <inheritdoc/>
    public int Count => _place == 0 ? 0 : 1 + (_others?.Length ?? 0);

    internal bool IsEmpty => _place == 0;

    internal IEnumerable<TKey> Keys => this.Select(e => e.Key);

    internal IEnumerable<TValue> Values => this.Select(e => e.Value);

    /// <summary>The key's value; the default where there is none.</summary>
    internal TValue? this[TKey key] => TryGetValue(key, out var value) ? value : default;

    /// <summary>The entry at a place of the ascending order.</summary>
    public KeyValuePair<TKey, TValue> this[int index] =>
        index == _place - 1 ? new(_key, _value) : _others![index < _place ? index : index - 1];

    /// <summary>What it consists of, for who keeps it in fields of its own.</summary>
    internal (KeyValuePair<TKey, TValue>[]? Others, TKey Key, TValue Value, int Place) Parts => (_others, _key, _value, _place);

    /// <summary>The map that consists of these.</summary>
    internal static SmallMap<TKey, TValue> OfParts(KeyValuePair<TKey, TValue>[]? others, TKey key, TValue value, int place) =>
        new(others, key, value, place);

    internal static SmallMap<TKey, TValue> Of(TKey key, TValue value) => new(null, key, value);

    /// <summary>A map of entries that ascend.</summary>
    internal static SmallMap<TKey, TValue> OfSorted(List<KeyValuePair<TKey, TValue>> entries) => entries.Count == 0
        ? default
        : new(entries.Count == 1 ? null : entries[..^1].ToArray(), entries[^1].Key, entries[^1].Value);

    internal bool TryGetValue(TKey key, out TValue value)
    {
        if (_place > 0 && key.CompareTo(_key) == 0)
        {
            value = _value;
            return true;
        }

        var index = Search(_others, key);
        value = index >= 0 ? _others![index].Value : default!;
        return index >= 0;
    }

    internal bool ContainsKey(TKey key) => TryGetValue(key, out _);

    /// <summary>The map with another value of a key.</summary>
    internal SmallMap<TKey, TValue> With(TKey key, TValue value)
    {
        if (_place == 0)
        {
            return Of(key, value);
        }

        if (key.CompareTo(_key) == 0)
        {
            return new(in this, value);
        }

        var old = Search(_others, key);
        var others = new KeyValuePair<TKey, TValue>[Count - (old >= 0 ? 1 : 0)];
        for (var (i, to) = (0, 0); i < Count; i++)
        {
            var entry = this[i];
            if (entry.Key.CompareTo(key) != 0)
            {
                others[to++] = entry;
            }
        }

        return new(others, key, value);
    }

    /// <summary>The map with what another one has, and the join of what both have.</summary>
    internal SmallMap<TKey, TValue> Merge(in SmallMap<TKey, TValue> other, Func<TValue, TValue, TValue> join)
    {
        if (IsEmpty)
        {
            return other;
        }

        if (other.Count <= 1)
        {
            return other.IsEmpty ? this
                : With(other._key, TryGetValue(other._key, out var present) ? join(present, other._value) : other._value);
        }

        var merged = new List<KeyValuePair<TKey, TValue>>(Count + other.Count);
        for (var (i, j) = (0, 0); i < Count || j < other.Count;)
        {
            var order = i == Count ? 1 : j == other.Count ? -1 : this[i].Key.CompareTo(other[j].Key);
            var next = order <= 0 ? this[i++] : other[j++];
            merged.Add(order == 0 ? new(next.Key, join(next.Value, other[j++].Value)) : next);
        }

        return OfSorted(merged);
    }

    internal bool HasEqual(in SmallMap<TKey, TValue> other)
    {
        if (Count != other.Count)
        {
            return false;
        }

        for (var i = 0; i < Count; i++)
        {
            var (mine, theirs) = (this[i], other[i]);
            if (mine.Key.CompareTo(theirs.Key) != 0 || !EqualityComparer<TValue>.Default.Equals(mine.Value, theirs.Value))
            {
                return false;
            }
        }

        return true;
    }

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<TKey, TValue>> GetEnumerator()
    {
        for (var i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static int Search(KeyValuePair<TKey, TValue>[]? entries, TKey key)
    {
        var (low, high) = (0, (entries?.Length ?? 0) - 1);
        while (low <= high)
        {
            var middle = (low + high) / 2;
            var order = entries![middle].Key.CompareTo(key);
            if (order == 0)
            {
                return middle;
            }

            (low, high) = order < 0 ? (middle + 1, high) : (low, middle - 1);
        }

        return ~low;
    }
}
