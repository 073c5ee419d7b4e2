using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A map from which keys can be removed: a removal takes away what it has observed below the key, and what is written there concurrently
/// stays. Values are dotted, and may be maps again; one context, at the root, is for all. A plain lattice for value does not compile:
/// once removed it would come back, or replicas would differ for ever.
/// </summary>
/// <typeparam name="TKey">The keys' type.</typeparam>
/// <typeparam name="TValue">The values' content.</typeparam>
public sealed record OrMap<TKey, TValue> : IDotted<OrMap<TKey, TValue>>, IReadOnlyDictionary<TKey, TValue>
    where TKey : notnull
    where TValue : IDotted<TValue>
{
    private readonly OrEntries<TKey, TValue> _entries;

    internal OrMap(in OrEntries<TKey, TValue> entries) => _entries = entries;

    /// <inheritdoc/>
    public static OrMap<TKey, TValue> Empty { get; } = new(default(OrEntries<TKey, TValue>));

    /// <inheritdoc/>
    public static string TypeName => $"or-map({ValueCodec<TKey>.Default.Name},{TValue.TypeName})";

    /// <inheritdoc/>
    public bool IsEmpty => _entries.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _entries.All.SelectMany(e => e.Value.Dots);

    /// <inheritdoc/>
    public int Count => _entries.Count;

    /// <inheritdoc/>
    public IEnumerable<TKey> Keys => _entries.All.Select(e => e.Key);

    /// <inheritdoc/>
    public IEnumerable<TValue> Values => _entries.All.Select(e => e.Value);

    internal OrEntries<TKey, TValue> Entries => _entries;

    /// <summary>The key's value; empty where there is none.</summary>
    public TValue this[TKey key] => _entries[key];

    /// <inheritdoc/>
    public bool ContainsKey(TKey key) => _entries.TryGetValue(key, out _);

    /// <inheritdoc/>
    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value) => _entries.TryGetValue(key, out value);

    /// <summary>The delta that changes a key's value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="change">Gives the value's delta, such as <c>v =&gt; v.Add(dot, 1)</c>.</param>
    public Dotted<OrMap<TKey, TValue>> Update(TKey key, Func<TValue, Dotted<TValue>> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        var delta = change(this[key]);
        return Dotted<OrMap<TKey, TValue>>.Delta(Of(key, delta.Content), delta.Context);
    }

    /// <summary>The delta that removes a key, as far as it is observed here.</summary>
    public Dotted<OrMap<TKey, TValue>> Remove(Dot dot, TKey key) => Dotted<OrMap<TKey, TValue>>.Delta(dot, Empty, this[key].Dots);

    /// <inheritdoc/>
    public OrMap<TKey, TValue> Merge(CausalContext seen, OrMap<TKey, TValue> other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = _entries.Merge(seen, other._entries, otherSeen);
        return merged.IsSame(_entries) ? this : merged.IsSame(other._entries) ? other : new(merged);
    }

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen) => _entries.CountSeen(seen);

    internal static OrMap<TKey, TValue> Of(TKey key, TValue value) =>
        value.IsEmpty ? Empty : new(OrEntries<TKey, TValue>.Of(key, value));

    /// <inheritdoc/>
    public bool Equals(OrMap<TKey, TValue>? other) => other is not null && _entries.HasEqual(other._entries);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_entries.All);

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<TKey, TValue>> GetEnumerator() => _entries.All.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _entries.Count, _entries.All, (w, k) => ValueCodec<TKey>.Default.Write(k, w), (w, v) => v.Write(w));
    }

    /// <inheritdoc/>
    public static OrMap<TKey, TValue> Read(ref LatticeReader from) => new(OrEntries<TKey, TValue>.Of(SortedForms.Read(
        ref from,
        OrEntries<TKey, TValue>.Builder,
        (ref LatticeReader r) => ValueCodec<TKey>.Default.Read(ref r),
        (ref LatticeReader r) => NotEmpty(r.Read<TValue>()))));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, _entries.All, (w, k) => ValueCodec<TKey>.Default.WriteJson(k, w), (w, v) => v.WriteJson(w));
    }

    /// <inheritdoc/>
    public static OrMap<TKey, TValue> ReadJson(JsonElement from) =>
        new(OrEntries<TKey, TValue>.Of(SortedForms.ReadJson(
            from, OrEntries<TKey, TValue>.Builder, ValueCodec<TKey>.Default.ReadJson, e => NotEmpty(TValue.ReadJson(e)))));

    private static TValue NotEmpty(TValue value) => value.IsEmpty ? throw LatticeReader.Damaged("holds a key without content") : value;
}
