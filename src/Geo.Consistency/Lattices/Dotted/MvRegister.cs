using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A register that keeps all concurrent writes: a write replaces those that it has seen, and who reads decides among the rest.
/// </summary>
/// <typeparam name="T">The type of the values.</typeparam>
public sealed record MvRegister<T> : IDotted<MvRegister<T>>
    where T : notnull
{
    private readonly ImmutableSortedDictionary<Dot, T> _values;

    private MvRegister(ImmutableSortedDictionary<Dot, T> values) => _values = values;

    /// <inheritdoc/>
    public static MvRegister<T> Empty { get; } = new(ImmutableSortedDictionary<Dot, T>.Empty);

    /// <inheritdoc/>
    public static string TypeName => $"mv({ValueCodec<T>.Default.Name})";

    /// <inheritdoc/>
    public bool IsEmpty => _values.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _values.Keys;

    /// <summary>The writes that no other has seen, in the order of their dots; several where writes were concurrent.</summary>
    public IEnumerable<T> Values => _values.Values;

    /// <summary>The delta that writes a value.</summary>
    public Dotted<MvRegister<T>> Write(Dot dot, T value) => Dotted<MvRegister<T>>.Delta(dot, new(Empty._values.Add(dot, value)), Dots);

    /// <inheritdoc/>
    public MvRegister<T> Merge(CausalContext seen, MvRegister<T> other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new(DotValues.Merge(_values, seen, other._values, otherSeen));
    }

    /// <inheritdoc/>
    public bool Equals(MvRegister<T>? other) => other is not null && SortedForms.AreEqual(_values, other._values);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_values);

    /// <inheritdoc/>
    public void Write(LatticeWriter to) => DotValues.Write(to, _values, (w, v) => ValueCodec<T>.Default.Write(v, w));

    /// <inheritdoc/>
    public static MvRegister<T> Read(ref LatticeReader from) =>
        new(DotValues.Read(ref from, (ref LatticeReader r) => ValueCodec<T>.Default.Read(ref r)));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to) => DotValues.WriteJson(to, _values, (w, v) => ValueCodec<T>.Default.WriteJson(v, w));

    /// <inheritdoc/>
    public static MvRegister<T> ReadJson(JsonElement from) => new(DotValues.ReadJson(from, ValueCodec<T>.Default.ReadJson));
}
