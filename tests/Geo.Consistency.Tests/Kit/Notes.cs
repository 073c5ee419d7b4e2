using System.Buffers;
using System.Text.Json;

namespace Geo.Consistency.Tests.Kit;

/// <summary>A state that keeps every update in order, and is changed in place: what was lost, doubled or mixed up shows at once.</summary>
internal sealed class Notes
{
    public List<string> Lines { get; init; } = [];
}

internal sealed class NotesModel : IViewModel<Notes, string>
{
    public Notes Create() => new();

    public Notes Apply(Notes state, string update)
    {
        if (update == "throws")
        {
            throw new InvalidOperationException("as the update says");
        }

        state.Lines.Add(update);
        return state;
    }
}

/// <summary>JSON, counting what it does. What is named so it does not write.</summary>
internal sealed class CountingSerializer : IGeoSerializer
{
    public const string Unwritable = "cannot be written";

    /// <summary>An update that cannot be written itself; the state that it makes can.</summary>
    public const string Unsendable = "cannot be sent";

    public const string Throws = "throws when it is written";

    public bool RefusesAll { get; set; }

    public int Serialized { get; private set; }

    public int Deserialized { get; private set; }

    public void Serialize<T>(T value, IBufferWriter<byte> output)
    {
        Serialized++;
        var lines = value is Notes notes ? notes.Lines : [];
        if (RefusesAll || lines.Contains(Unwritable) || value is Unsendable)
        {
            throw new GeoSerializationException("as it says");
        }

        if (lines.Contains(Throws))
        {
            throw new InvalidOperationException("as it says");
        }

        using var writer = new Utf8JsonWriter(output);
        JsonSerializer.Serialize(writer, value);
    }

    public T Deserialize<T>(ReadOnlySpan<byte> input)
    {
        Deserialized++;
        try
        {
            return JsonSerializer.Deserialize<T>(input) ?? throw new GeoSerializationException("null");
        }
        catch (JsonException e)
        {
            throw new GeoSerializationException(e.Message, e);
        }
    }
}
