using System.Text.Json;
using System.Text.Json.Serialization;

namespace Geo.Experiments.Messaging;

/// <summary>Writes a cell as its name.</summary>
internal sealed class CellNameConverter : JsonConverter<Cell>
{
    public override Cell Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        Cell.Parse(reader.GetString() ?? "");

    public override void Write(Utf8JsonWriter writer, Cell value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value.ToString());
}
