using System.Buffers;
using System.Text;
using Orleans.Serialization;

namespace Geo.Orleans;

/// <summary>
/// States and events in Orleans' own version-tolerant form, for storage and between clusters. They say which cluster wrote them: its
/// ordinary grains and observers, where there are references to them, are those of that cluster wherever they are read.
/// </summary>
internal sealed class OrleansGeoSerializer(Serializer serializer, ClusterId home) : IGeoSerializer
{
    private readonly byte[] _home = [(byte)home.Name.Length, .. Encoding.ASCII.GetBytes(home.Name)];

    public void Serialize<T>(T value, IBufferWriter<byte> output)
    {
        try
        {
            output.Write(_home);
            serializer.Serialize(value, output);
        }
        catch (Exception e)
        {
            throw new GeoSerializationException(
                $"A {typeof(T).Name} cannot be written ({e.Message}); add [GenerateSerializer] to it and its members.", e);
        }
    }

    public T Deserialize<T>(ReadOnlySpan<byte> input)
    {
        try
        {
            var origin = input[1..(1 + input[0])];
            using (ArrivingReferences.From(input.StartsWith(_home) ? home : new ClusterId(Encoding.ASCII.GetString(origin))))
            {
                return serializer.Deserialize<T>(input[(1 + origin.Length)..])!;
            }
        }
        catch (Exception e)
        {
            throw new GeoSerializationException($"The bytes are not a {typeof(T).Name} that this silo can read ({e.Message}).", e);
        }
    }
}
