using System.Collections.Concurrent;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// How values that are no lattices (keys, elements, contents of registers) are ordered and written. There are codecs for
/// <see cref="string"/> (ordinal order), <see cref="int"/>, <see cref="long"/>, <see cref="bool"/>, <see cref="Guid"/>,
/// <see cref="ReplicaId"/> and <see cref="Stamp"/>; for other types register one. Not for floating point: NaN has no place in an order.
/// </summary>
/// <typeparam name="T">The values' type: immutable, with equality by value.</typeparam>
public abstract class ValueCodec<T> : IComparer<T>
    where T : notnull
{
    private static ValueCodec<T>? _default;

    /// <summary>The codec of the type.</summary>
    /// <exception cref="GeoConfigurationException">None is registered.</exception>
    public static ValueCodec<T> Default => _default ??= ValueCodecs.Find<T>();

    /// <summary>The type's name in the forms.</summary>
    public abstract string Name { get; }

    /// <summary>A total order in which only equal values compare equal.</summary>
    public abstract int Compare(T? x, T? y);

    /// <summary>Writes the binary form, at least one byte.</summary>
    public abstract void Write(T value, LatticeWriter to);

    /// <summary>Reads the binary form.</summary>
    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    public abstract T Read(ref LatticeReader from);

    /// <summary>Writes the JSON form: one JSON value.</summary>
    public abstract void WriteJson(T value, Utf8JsonWriter to);

    /// <summary>Reads the JSON form.</summary>
    public abstract T ReadJson(JsonElement from);
}

/// <summary>The codecs by type.</summary>
public static class ValueCodecs
{
    private static readonly ConcurrentDictionary<Type, object> Codecs = new(
    [
        new(typeof(string), new TextCodec()),
        new(typeof(int), new IntegerCodec<int>("int32", v => v, v => checked((int)v))),
        new(typeof(long), new IntegerCodec<long>("int64", v => v, v => v)),
        new(typeof(bool), new BooleanCodec()),
        new(typeof(Guid), new GuidCodec()),
        new(typeof(ReplicaId), new ReplicaIdCodec()),
        new(typeof(Stamp), new StampCodec()),
    ]);

    /// <summary>Registers the codec of a type, once and before its first use.</summary>
    /// <exception cref="GeoConfigurationException">The type has one.</exception>
    public static void Register<T>(ValueCodec<T> codec)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(codec);
        if (!Codecs.TryAdd(typeof(T), codec))
        {
            throw new GeoConfigurationException($"The type {typeof(T)} has a ValueCodec already; register one only.");
        }
    }

    internal static ValueCodec<T> Find<T>()
        where T : notnull =>
        Codecs.TryGetValue(typeof(T), out var codec)
            ? (ValueCodec<T>)codec
            : throw new GeoConfigurationException(
                $"Lattices cannot hold values of the type {typeof(T)}: it has no ValueCodec. "
                + "Register one with ValueCodecs.Register at start.");
}
