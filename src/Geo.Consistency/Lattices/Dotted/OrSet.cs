using System.Collections;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A set to add to and to remove from, as often as one likes and without tombstones. A removal removes the additions that it has
/// observed; of an addition and a removal that did not see each other, the addition wins.
/// </summary>
/// <typeparam name="T">The elements' type.</typeparam>
public sealed record OrSet<T> : IDotted<OrSet<T>>, IReadOnlyCollection<T>
    where T : notnull
{
    private readonly OrEntries<T, DotFlag> _items;

    private OrSet(in OrEntries<T, DotFlag> items) => _items = items;

    /// <inheritdoc/>
    public static OrSet<T> Empty { get; } = new(default(OrEntries<T, DotFlag>));

    /// <inheritdoc/>
    public static string TypeName => $"or-set({ValueCodec<T>.Default.Name})";

    /// <inheritdoc/>
    public bool IsEmpty => _items.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _items.All.SelectMany(e => e.Value.Dots);

    /// <inheritdoc/>
    public int Count => _items.Count;

    /// <summary>True when the element is in the set.</summary>
    public bool Contains(T item) => _items.TryGetValue(item, out _);

    /// <summary>The delta that adds an element.</summary>
    public Dotted<OrSet<T>> Add(Dot dot, T item) => Dotted<OrSet<T>>.Delta(
        new(OrEntries<T, DotFlag>.Of(item, DotFlag.Of(dot))), _items[item].SetContext(dot));

    /// <summary>The delta that removes an element, as far as its additions are observed here.</summary>
    public Dotted<OrSet<T>> Remove(Dot dot, T item) => Dotted<OrSet<T>>.Delta(dot, Empty, _items[item].Dots);

    /// <inheritdoc/>
    public OrSet<T> Merge(CausalContext seen, OrSet<T> other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = _items.Merge(seen, other._items, otherSeen);
        return merged.IsSame(_items) ? this : merged.IsSame(other._items) ? other : new(merged);
    }

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen) => _items.CountSeen(seen);

    /// <inheritdoc/>
    public IEnumerator<T> GetEnumerator() => _items.All.Select(e => e.Key).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <inheritdoc/>
    public bool Equals(OrSet<T>? other) => other is not null && _items.HasEqual(other._items);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_items.All);

    /// <inheritdoc/>
    public void Write(LatticeWriter to) => new OrMap<T, DotFlag>(_items).Write(to);

    /// <inheritdoc/>
    public static OrSet<T> Read(ref LatticeReader from) => new(from.Read<OrMap<T, DotFlag>>().Entries);

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to) => new OrMap<T, DotFlag>(_items).WriteJson(to);

    /// <inheritdoc/>
    public static OrSet<T> ReadJson(JsonElement from) => new(OrMap<T, DotFlag>.ReadJson(from).Entries);
}
