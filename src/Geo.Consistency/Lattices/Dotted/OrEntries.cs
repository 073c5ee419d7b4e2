using System.Collections.Immutable;

namespace Geo.Consistency.Lattices;

/// <summary>
/// The entries of a map or set with removal, sorted, never changed, but replaced. A single one takes no more than itself; of several, those
/// that an update does not name are shared with the former value.
/// </summary>
/// <typeparam name="TKey">The keys' type.</typeparam>
/// <typeparam name="TValue">The values' content; none is empty.</typeparam>
internal readonly struct OrEntries<TKey, TValue>
    where TKey : notnull
    where TValue : IDotted<TValue>
{
    private static readonly ImmutableSortedDictionary<TKey, TValue> None = SortedForms.NewMap<TKey, TValue>();

    // Null where there is none, without any where there is one, which is kept beside it.
    private readonly ImmutableSortedDictionary<TKey, TValue>? _several;
    private readonly TKey _key;
    private readonly TValue _value;

    private OrEntries(TKey key, TValue value) => (_several, _key, _value) = (None, key, value);

    private OrEntries(ImmutableSortedDictionary<TKey, TValue> several) => (_several, _key, _value) = (several, default!, default!);

    internal int Count => _several is null ? 0 : Math.Max(1, _several.Count);

    internal bool IsEmpty => _several is null;

    /// <summary>An empty map to read the entries of.</summary>
    internal static ImmutableSortedDictionary<TKey, TValue> Builder => None;

    /// <summary>The entries in their order.</summary>
    internal IEnumerable<KeyValuePair<TKey, TValue>> All => _several is null ? [] : IsOne ? [new(_key, _value)] : _several;

    /// <summary>The key's value; empty where there is none.</summary>
    internal TValue this[TKey key] => TryGetValue(key, out var value) ? value : TValue.Empty;

    private bool IsOne => _several is { IsEmpty: true };

    private ImmutableSortedDictionary<TKey, TValue> Tree => _several is null ? None : IsOne ? None.Add(_key, _value) : _several;

    /// <summary>The one entry of a key; none where its value is empty.</summary>
    internal static OrEntries<TKey, TValue> Of(TKey key, TValue value) => value.IsEmpty ? default : new(key, value);

    internal static OrEntries<TKey, TValue> Of(ImmutableSortedDictionary<TKey, TValue> entries)
    {
        if (entries.Count > 1)
        {
            return new(entries);
        }

        foreach (var (key, value) in entries)
        {
            return new(key, value);
        }

        return default;
    }

    internal bool TryGetValue(TKey key, out TValue value)
    {
        if (!IsOne)
        {
            value = default!;
            return _several?.TryGetValue(key, out value!) == true;
        }

        value = _value;
        return IsKey(key);
    }

    /// <inheritdoc cref="IDotted{TSelf}.Merge"/>
    internal OrEntries<TKey, TValue> Merge(in CausalContext seen, in OrEntries<TKey, TValue> other, in CausalContext otherSeen)
    {
        var merged = this;
        var elsewhere = DotsElsewhere(seen, other, otherSeen);
        if (elsewhere != 0)
        {
            foreach (var (key, value) in Tree)
            {
                if (!other.TryGetValue(key, out _) && value.CountSeen(otherSeen) is var held and > 0)
                {
                    merged = merged.With(key, value, value.Merge(seen, TValue.Empty, otherSeen));
                    elsewhere -= held;
                    if (elsewhere == 0)
                    {
                        break;
                    }
                }
            }
        }

        if (other.IsOne)
        {
            return merged.With(other._key, this[other._key], this[other._key].Merge(seen, other._value, otherSeen));
        }

        foreach (var (key, value) in other.Tree)
        {
            var present = this[key];
            merged = merged.With(key, present, present.Merge(seen, value, otherSeen));
        }

        return merged;
    }

    /// <inheritdoc cref="IDotted{TSelf}.CountSeen"/>
    internal int CountSeen(in CausalContext seen)
    {
        if (IsOne)
        {
            return _value.CountSeen(seen);
        }

        var held = 0;
        foreach (var (_, value) in Tree)
        {
            held += value.CountSeen(seen);
        }

        return held;
    }

    /// <summary>True where nothing need be replaced to have the other's entries; false where that would be long to find out.</summary>
    internal bool IsSame(in OrEntries<TKey, TValue> other) =>
        ReferenceEquals(_several, other._several) && (!IsOne || (IsKey(other._key) && AreSame(_value, other._value)));

    internal bool HasEqual(in OrEntries<TKey, TValue> other) => IsSame(other) || (Count == other.Count && All.SequenceEqual(other.All));

    private static bool AreSame(TValue left, TValue right) =>
        typeof(TValue).IsValueType ? left.Equals(right) : ReferenceEquals(left, right);

    /// <summary>
    /// How many dots of a delta may be held under keys that it does not name; -1 where it is no delta, or cannot be told. Where there are
    /// none, as with every addition, the other keys need not be looked at.
    /// </summary>
    private int DotsElsewhere(in CausalContext seen, in OrEntries<TKey, TValue> other, in CausalContext otherSeen)
    {
        var elsewhere = otherSeen.CountAllIn(seen);
        if (elsewhere <= 0)
        {
            return elsewhere;
        }

        if (other.IsOne)
        {
            return elsewhere - this[other._key].CountSeen(otherSeen);
        }

        foreach (var (key, _) in other.Tree)
        {
            elsewhere -= this[key].CountSeen(otherSeen);
        }

        return elsewhere;
    }

    private bool IsKey(TKey key) => None.KeyComparer.Compare(_key, key) == 0;

    private OrEntries<TKey, TValue> With(TKey key, TValue present, TValue value)
    {
        if (value.IsEmpty)
        {
            return Without(key);
        }

        if (AreSame(present, value))
        {
            return this;
        }

        return _several is null || (IsOne && IsKey(key)) ? new(key, value)
            : new(Tree.SetItem(key, value));
    }

    private OrEntries<TKey, TValue> Without(TKey key) =>
        _several is null ? this : IsOne ? IsKey(key) ? default : this : Of(_several.Remove(key));
}
