using System.Buffers;
using Orleans.Serialization;

namespace Geo.Orleans;

/// <summary>States and events in Orleans' own version-tolerant form, for storage and between clusters.</summary>
internal sealed class OrleansGeoSerializer(Serializer serializer) : IGeoSerializer
{
    public void Serialize<T>(T value, IBufferWriter<byte> output)
    {
        try
        {
            serializer.Serialize(value, output);
        }
        catch (Exception e)
        {
            throw new GeoSerializationException($"A {typeof(T).Name} cannot be written ({e.Message}); add [GenerateSerializer] to it and its members.", e);
        }
    }

    public T Deserialize<T>(ReadOnlySpan<byte> input)
    {
        try
        {
            return serializer.Deserialize<T>(input);
        }
        catch (Exception e)
        {
            throw new GeoSerializationException($"The bytes are not a {typeof(T).Name} that this silo can read ({e.Message}).", e);
        }
    }
}
