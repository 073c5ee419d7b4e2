using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// The greatest of all values written; no value before the first. Stays correct whatever is lost, repeated or reordered.
/// </summary>
/// <typeparam name="T">The values' type, in the order of its <see cref="ValueCodec{T}"/>.</typeparam>
public sealed record MaxLattice<T> : ITotalLattice<MaxLattice<T>>
    where T : notnull
{
    private readonly T? _value;

    private MaxLattice(bool hasValue, T? value) => (HasValue, _value) = (hasValue, value);

    /// <inheritdoc/>
    public static MaxLattice<T> Bottom { get; } = new(false, default);

    /// <inheritdoc/>
    public static string TypeName => $"max({ValueCodec<T>.Default.Name})";

    /// <summary>False before the first value.</summary>
    public bool HasValue { get; }

    /// <summary>The greatest.</summary>
    /// <exception cref="InvalidOperationException">There is no value yet.</exception>
    public T Value => HasValue ? _value! : throw new InvalidOperationException("Nothing was written yet; ask HasValue first.");

    /// <summary>A value, as state or as delta.</summary>
    public static MaxLattice<T> Of(T value) => new(true, value);

    /// <inheritdoc/>
    public MaxLattice<T> Merge(MaxLattice<T> other) => CompareTo(other) >= 0 ? this : other;

    /// <summary>By the order of merging: no value comes first.</summary>
    public int CompareTo(MaxLattice<T>? other) =>
        other is null ? 1
        : HasValue && other.HasValue ? ValueCodec<T>.Default.Compare(Value, other.Value)
        : HasValue.CompareTo(other.HasValue);

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.Body.WriteByte(HasValue ? (byte)1 : (byte)0);
        if (HasValue)
        {
            ValueCodec<T>.Default.Write(Value, to);
        }
    }

    /// <inheritdoc/>
    public static MaxLattice<T> Read(ref LatticeReader from) => from.ReadFlag() ? Of(ValueCodec<T>.Default.Read(ref from)) : Bottom;

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        if (HasValue)
        {
            ValueCodec<T>.Default.WriteJson(Value, to);
        }
        else
        {
            to.WriteNullValue();
        }
    }

    /// <inheritdoc/>
    public static MaxLattice<T> ReadJson(JsonElement from) =>
        from.ValueKind == JsonValueKind.Null ? Bottom : Of(ValueCodec<T>.Default.ReadJson(from));
}
