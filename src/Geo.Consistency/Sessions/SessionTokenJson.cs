using System.Text.Json;
using System.Text.Json.Serialization;

namespace Geo.Consistency;

/// <summary>A session token as a JSON string.</summary>
internal sealed class SessionTokenJson : JsonConverter<SessionToken>
{
    public override SessionToken Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        SessionToken.TryParse(reader.GetString(), out var token) ? token
        : throw new JsonException("The text is not a session token of this version of Geo.");

    public override void Write(Utf8JsonWriter writer, SessionToken value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value.ToString());
}
