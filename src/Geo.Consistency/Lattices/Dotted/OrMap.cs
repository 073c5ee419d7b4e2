using System.Collections;
using System.Collections.Immutable;
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
    private readonly ImmutableSortedDictionary<TKey, TValue> _entries;

    private OrMap(ImmutableSortedDictionary<TKey, TValue> entries) => _entries = entries;

    /// <inheritdoc/>
    public static OrMap<TKey, TValue> Empty { get; } = new(SortedForms.NewMap<TKey, TValue>());

    /// <inheritdoc/>
    public static string TypeName => $"or-map({ValueCodec<TKey>.Default.Name},{TValue.TypeName})";

    /// <inheritdoc/>
    public bool IsEmpty => _entries.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _entries.Values.SelectMany(v => v.Dots);

    /// <inheritdoc/>
    public int Count => _entries.Count;

    /// <inheritdoc/>
    public IEnumerable<TKey> Keys => _entries.Keys;

    /// <inheritdoc/>
    public IEnumerable<TValue> Values => _entries.Values;

    /// <summary>The key's value; empty where there is none.</summary>
    public TValue this[TKey key] => _entries.TryGetValue(key, out var value) ? value : TValue.Empty;

    /// <inheritdoc/>
    public bool ContainsKey(TKey key) => _entries.ContainsKey(key);

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
        var merged = _entries;
        var elsewhere = DotsElsewhere(seen, other, otherSeen);
        if (elsewhere != 0)
        {
            foreach (var (key, value) in _entries)
            {
                if (!other._entries.ContainsKey(key) && value.CountSeen(otherSeen) is var held and > 0)
                {
                    merged = With(merged, key, value, value.Merge(seen, TValue.Empty, otherSeen));
                    elsewhere -= held;
                    if (elsewhere == 0)
                    {
                        break;
                    }
                }
            }
        }

        foreach (var (key, value) in other._entries)
        {
            var present = this[key];
            merged = With(merged, key, present, present.Merge(seen, value, otherSeen));
        }

        return ReferenceEquals(merged, _entries) ? this : new(merged);
    }

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen)
    {
        var held = 0;
        foreach (var (_, value) in _entries)
        {
            held += value.CountSeen(seen);
        }

        return held;
    }

    internal static OrMap<TKey, TValue> Of(TKey key, TValue value) => value.IsEmpty ? Empty : new(Empty._entries.Add(key, value));

    /// <inheritdoc/>
    public bool Equals(OrMap<TKey, TValue>? other) => other is not null && SortedForms.AreEqual(_entries, other._entries);

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
    public static OrMap<TKey, TValue> Read(ref LatticeReader from) => new(SortedForms.Read(
        ref from,
        Empty._entries,
        (ref LatticeReader r) => ValueCodec<TKey>.Default.Read(ref r),
        (ref LatticeReader r) => NotEmpty(r.Read<TValue>())));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, _entries, (w, k) => ValueCodec<TKey>.Default.WriteJson(k, w), (w, v) => v.WriteJson(w));
    }

    /// <inheritdoc/>
    public static OrMap<TKey, TValue> ReadJson(JsonElement from) =>
        new(SortedForms.ReadJson(from, Empty._entries, ValueCodec<TKey>.Default.ReadJson, e => NotEmpty(TValue.ReadJson(e))));

    /// <summary>
    /// How many dots of a delta may be held under keys that it does not name; -1 where it is no delta, or cannot be told. Where there are
    /// none, as with every addition, the other keys need not be looked at.
    /// </summary>
    private int DotsElsewhere(CausalContext seen, OrMap<TKey, TValue> other, CausalContext otherSeen)
    {
        if (!otherSeen.TryGetAll(out var dots))
        {
            return -1;
        }

        var elsewhere = 0;
        foreach (var dot in dots)
        {
            elsewhere += seen.Contains(dot) ? 1 : 0;
        }

        foreach (var (key, _) in other._entries)
        {
            elsewhere -= this[key].CountSeen(otherSeen);
        }

        return elsewhere;
    }

    private static ImmutableSortedDictionary<TKey, TValue> With(
        ImmutableSortedDictionary<TKey, TValue> entries, TKey key, TValue present, TValue merged) =>
        merged.IsEmpty ? entries.Remove(key)
        : ReferenceEquals(present, merged) ? entries
        : entries.SetItem(key, merged);

    private static TValue NotEmpty(TValue value) => value.IsEmpty ? throw LatticeReader.Damaged("holds a key without content") : value;
}
