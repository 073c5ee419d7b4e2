using System.Collections;
using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A map to lattices (Anna section VI-B): the union of the keys, and of keys that both sides have the merge of the values. Keys are not
/// removed: a removed plain value would come back with the next older copy of it. For removal there is <see cref="OrMap{TKey, TValue}"/>.
/// </summary>
/// <typeparam name="TKey">The keys' type.</typeparam>
/// <typeparam name="TValue">The values' lattice.</typeparam>
public sealed record MapLattice<TKey, TValue> : ILattice<MapLattice<TKey, TValue>>, IReadOnlyDictionary<TKey, TValue>
    where TKey : notnull
    where TValue : ILattice<TValue>
{
    private readonly ImmutableSortedDictionary<TKey, TValue> _entries;

    private MapLattice(ImmutableSortedDictionary<TKey, TValue> entries) => _entries = entries;

    /// <inheritdoc/>
    public static MapLattice<TKey, TValue> Bottom { get; } = new(SortedForms.NewMap<TKey, TValue>());

    /// <inheritdoc/>
    public static string TypeName => $"map({ValueCodec<TKey>.Default.Name},{TValue.TypeName})";

    /// <inheritdoc/>
    public static bool HasDots => TValue.HasDots;

    /// <inheritdoc/>
    public bool IsEmpty => _entries.IsEmpty;

    /// <inheritdoc/>
    /// <remarks>It visits every value: for large maps of dotted values there is <see cref="OrMap{TKey, TValue}"/>.</remarks>
    public MapLattice<TKey, TValue> Close(VectorClock through) => !HasDots
        ? this
        : new(_entries.SetItems([.. _entries.Select(e => KeyValuePair.Create(e.Key, e.Value.Close(through)))]));

    /// <inheritdoc/>
    public int Count => _entries.Count;

    /// <inheritdoc/>
    public IEnumerable<TKey> Keys => _entries.Keys;

    /// <inheritdoc/>
    public IEnumerable<TValue> Values => _entries.Values;

    /// <summary>The key's value; bottom where there is none.</summary>
    public TValue this[TKey key] => _entries.TryGetValue(key, out var value) ? value : TValue.Bottom;

    /// <summary>One entry, as state or as delta.</summary>
    public static MapLattice<TKey, TValue> Of(TKey key, TValue value) => new(Bottom._entries.Add(key, value));

    /// <inheritdoc/>
    public bool ContainsKey(TKey key) => _entries.ContainsKey(key);

    /// <inheritdoc/>
    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value) => _entries.TryGetValue(key, out value);

    /// <inheritdoc/>
    public MapLattice<TKey, TValue> Merge(MapLattice<TKey, TValue> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var (more, less) = Count >= other.Count ? (this, other) : (other, this);
        var merged = more._entries.ToBuilder();
        foreach (var (key, value) in less._entries)
        {
            merged[key] = merged.TryGetValue(key, out var present) ? present.Merge(value) : value;
        }

        return new(merged.ToImmutable());
    }

    /// <inheritdoc/>
    public bool Equals(MapLattice<TKey, TValue>? other) => other is not null && SortedForms.AreEqual(_entries, other._entries);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_entries);

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<TKey, TValue>> GetEnumerator() => _entries.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _entries, (w, k) => ValueCodec<TKey>.Default.Write(k, w), (w, v) => v.Write(w));
    }

    /// <inheritdoc/>
    public static MapLattice<TKey, TValue> Read(ref LatticeReader from) => new(SortedForms.Read(
        ref from,
        Bottom._entries,
        (ref LatticeReader r) => ValueCodec<TKey>.Default.Read(ref r),
        (ref LatticeReader r) => r.Read<TValue>()));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, _entries, (w, k) => ValueCodec<TKey>.Default.WriteJson(k, w), (w, v) => v.WriteJson(w));
    }

    /// <inheritdoc/>
    public static MapLattice<TKey, TValue> ReadJson(JsonElement from) =>
        new(SortedForms.ReadJson(from, Bottom._entries, ValueCodec<TKey>.Default.ReadJson, TValue.ReadJson));
}
