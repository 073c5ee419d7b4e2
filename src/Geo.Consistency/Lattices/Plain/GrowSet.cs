using System.Collections;
using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>A set to which elements are added and from which none is removed. For removal there is <see cref="OrSet{T}"/>.</summary>
/// <typeparam name="T">The elements' type.</typeparam>
public sealed record GrowSet<T> : ILattice<GrowSet<T>>, IReadOnlyCollection<T>
    where T : notnull
{
    private readonly ImmutableSortedSet<T> _items;

    private GrowSet(ImmutableSortedSet<T> items) => _items = items;

    /// <inheritdoc/>
    public static GrowSet<T> Bottom { get; } = new(SortedForms.NewSet<T>());

    /// <inheritdoc/>
    public static string TypeName => $"grow-set({ValueCodec<T>.Default.Name})";

    /// <inheritdoc/>
    public int Count => _items.Count;

    /// <summary>Some elements, as state or as delta.</summary>
    public static GrowSet<T> Of(params IEnumerable<T> items) => new(Bottom._items.Union(items));

    /// <summary>True when the element was added.</summary>
    public bool Contains(T item) => _items.Contains(item);

    /// <inheritdoc/>
    public GrowSet<T> Merge(GrowSet<T> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var (more, less) = Count >= other.Count ? (this, other) : (other, this);
        var union = more._items.Union(less._items);
        return union.Count == more.Count ? more : new(union);
    }

    /// <inheritdoc/>
    public bool Equals(GrowSet<T>? other) => other is not null && _items.SetEquals(other._items);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_items);

    /// <inheritdoc/>
    public IEnumerator<T> GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Body.WriteUnsigned((ulong)Count);
        foreach (var item in _items)
        {
            ValueCodec<T>.Default.Write(item, to);
        }
    }

    /// <inheritdoc/>
    public static GrowSet<T> Read(ref LatticeReader from)
    {
        var count = from.Body.ReadCount();
        var items = Bottom._items.ToBuilder();
        for (var i = 0; i < count; i++)
        {
            var item = ValueCodec<T>.Default.Read(ref from);
            SortedForms.CheckAscends(i, i > 0 ? items.Max : default, item, ValueCodec<T>.Default);
            items.Add(item);
        }

        return new(items.ToImmutable());
    }

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStartArray();
        foreach (var item in _items)
        {
            ValueCodec<T>.Default.WriteJson(item, to);
        }

        to.WriteEndArray();
    }

    /// <inheritdoc/>
    public static GrowSet<T> ReadJson(JsonElement from) => Of(from.EnumerateArray().Select(ValueCodec<T>.Default.ReadJson));
}
