using System.Buffers;

namespace Geo;

/// <summary>
/// Turns the application's states, updates and arguments into bytes and back. The type is always the declared one: what arrives never
/// chooses the type to create.
/// </summary>
public interface IGeoSerializer
{
    /// <summary>Writes a value.</summary>
    /// <exception cref="GeoSerializationException">The value cannot be written.</exception>
    void Serialize<T>(T value, IBufferWriter<byte> output);

    /// <summary>Reads a value from exactly these bytes.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a <typeparamref name="T"/>.</exception>
    T Deserialize<T>(ReadOnlySpan<byte> input);
}
