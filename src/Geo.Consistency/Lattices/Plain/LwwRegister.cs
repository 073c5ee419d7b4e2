using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A register in which the write with the greatest stamp wins ("larger timestamp wins", Anna section VI-C). Of concurrent writes all but
/// one are lost; a write that has seen another is stamped later by the <see cref="HybridClock"/>, and wins. Never is a tie broken by
/// value.
/// </summary>
/// <typeparam name="T">The value's type.</typeparam>
public sealed record LwwRegister<T> : ILattice<LwwRegister<T>>
    where T : notnull
{
    private readonly T? _value;

    private LwwRegister(Stamp stamp, T? value) => (Stamp, _value) = (stamp, value);

    /// <inheritdoc/>
    public static LwwRegister<T> Bottom { get; } = new(Stamp.Bottom, default);

    /// <inheritdoc/>
    public static string TypeName => $"lww({ValueCodec<T>.Default.Name})";

    /// <summary>When and by whom it was written.</summary>
    public Stamp Stamp { get; }

    /// <summary>False before the first write.</summary>
    public bool HasValue => Stamp != Stamp.Bottom;

    /// <summary>The value.</summary>
    /// <exception cref="InvalidOperationException">Nothing was written yet.</exception>
    public T Value => HasValue ? _value! : throw new InvalidOperationException("Nothing was written yet; ask HasValue first.");

    /// <summary>A write, as state or as delta.</summary>
    /// <exception cref="ArgumentException">The stamp is bottom.</exception>
    public static LwwRegister<T> Of(Stamp stamp, T value) => stamp != Stamp.Bottom
        ? new(stamp, value)
        : throw new ArgumentException("A write has a stamp of a HybridClock.", nameof(stamp));

    /// <inheritdoc/>
    /// <exception cref="GeoSerializationException">One stamp was given to two values: its source is in use twice.</exception>
    public LwwRegister<T> Merge(LwwRegister<T> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Stamp.CompareTo(other.Stamp) switch
        {
            > 0 => this,
            < 0 => other,
            _ when Equals(other) => this,
            _ => throw new GeoSerializationException($"Two values have the stamp {Stamp}: a replica's identity is in use twice."),
        };
    }

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        Stamp.Write(to);
        if (HasValue)
        {
            ValueCodec<T>.Default.Write(Value, to);
        }
    }

    /// <inheritdoc/>
    public static LwwRegister<T> Read(ref LatticeReader from)
    {
        var stamp = Stamp.Read(ref from);
        return stamp == Stamp.Bottom ? Bottom : new(stamp, ValueCodec<T>.Default.Read(ref from));
    }

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStartArray();
        Stamp.WriteJson(to);
        if (HasValue)
        {
            ValueCodec<T>.Default.WriteJson(Value, to);
        }

        to.WriteEndArray();
    }

    /// <inheritdoc/>
    public static LwwRegister<T> ReadJson(JsonElement from)
    {
        var stamp = Stamp.ReadJson(from[0]);
        return stamp == Stamp.Bottom ? Bottom : new(stamp, ValueCodec<T>.Default.ReadJson(from[1]));
    }
}
