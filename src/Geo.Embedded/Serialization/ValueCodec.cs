using System.Collections.Concurrent;

namespace Geo.Embedded;

/// <summary>Copies, writes and reads the values of one argument or result of a grain method.</summary>
internal abstract class ValueCodec
{
    private static readonly ConcurrentDictionary<(Type, bool), ValueCodec> Codecs = new();

    /// <summary>The codec of a type.</summary>
    /// <param name="type">The declared type.</param>
    /// <param name="immutable">True when the values are promised not to change, so that they need no copy.</param>
    public static ValueCodec For(Type type, bool immutable) =>
        Codecs.GetOrAdd((type, immutable), static key =>
            (ValueCodec)Activator.CreateInstance(typeof(ValueCodec<>).MakeGenericType(key.Item1), args: [key.Item2])!);

    /// <summary>A copy that shares nothing with the value that anyone could change.</summary>
    public abstract object? CopyBoxed(object? value, IGeoSerializer serializer);

    /// <summary>Writes the value.</summary>
    public abstract void WriteBoxed(PayloadWriter writer, object? value, IGeoSerializer serializer);

    /// <summary>Reads a value.</summary>
    public abstract object? ReadBoxed(ref PayloadReader reader, IGeoSerializer serializer);
}
