using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A register that keeps all concurrent writes: a write replaces those that it has seen, and who reads decides among the rest.
/// </summary>
/// <typeparam name="T">The type of the values.</typeparam>
public sealed record MvRegister<T> : IDotted<MvRegister<T>>
    where T : notnull
{
    private readonly SmallMap<Dot, T> _values;

    private MvRegister(SmallMap<Dot, T> values) => _values = values;

    /// <inheritdoc/>
    public static MvRegister<T> Empty { get; } = new(default(SmallMap<Dot, T>));

    /// <inheritdoc/>
    public static string TypeName => $"mv({ValueCodec<T>.Default.Name})";

    /// <inheritdoc/>
    public bool IsEmpty => _values.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _values.Keys;

    /// <summary>The writes that no other has seen, in the order of their dots; several where writes were concurrent.</summary>
    public IEnumerable<T> Values => _values.Values;

    /// <summary>The delta that writes a value.</summary>
    public Dotted<MvRegister<T>> Write(Dot dot, T value) =>
        Dotted<MvRegister<T>>.Delta(new(SmallMap<Dot, T>.Of(dot, value)), CausalContext.Of(dot, _values));

    /// <inheritdoc/>
    public MvRegister<T> Merge(CausalContext seen, MvRegister<T> other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = DotValues.Merge(_values, seen, other._values, otherSeen);
        return merged.HasEqual(other._values) ? other : merged.HasEqual(_values) ? this : new(merged);
    }

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen) => DotValues.CountSeen(_values, seen);

    /// <inheritdoc/>
    public bool Equals(MvRegister<T>? other) => other is not null && _values.HasEqual(other._values);

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
