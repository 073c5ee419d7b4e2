using System.Text.Json;
using System.Text.Json.Serialization;

namespace Geo.Consistency;

/// <summary>A cluster's name as a JSON string.</summary>
internal sealed class ClusterIdJson : JsonConverter<ClusterId>
{
    public override ClusterId Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        try
        {
            return new(reader.GetString() ?? "");
        }
        catch (ArgumentException e)
        {
            throw new JsonException(e.Message, e);
        }
    }

    public override void Write(Utf8JsonWriter writer, ClusterId value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value.Name);
}
