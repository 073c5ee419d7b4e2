using System.Buffers;
using System.Text.Json;

namespace Geo.Testing;

/// <summary>Writes logs in a few bytes an update, because a simulation does so for every write, and whatever else a view asks for as JSON.</summary>
internal sealed class SimulatedLogSerializer : IGeoSerializer
{
    public void Serialize<T>(T value, IBufferWriter<byte> output)
    {
        if (value is SimulatedLog log)
        {
            var writer = new PayloadWriter();
            writer.WriteUnsigned((ulong)log.Updates.Count);
            log.Updates.ForEach(update => writer.WriteSigned(update));
            output.Write(writer.Written.Span);
            return;
        }

        using var json = new Utf8JsonWriter(output);
        JsonSerializer.Serialize(json, value);
    }

    public T Deserialize<T>(ReadOnlySpan<byte> input)
    {
        if (typeof(T) != typeof(SimulatedLog))
        {
            return JsonSerializer.Deserialize<T>(input) ?? throw new GeoSerializationException("A simulated value was null.");
        }

        var log = new SimulatedLog();
        var reader = new PayloadReader(input);
        for (var left = reader.ReadUnsigned(); left > 0; left--)
        {
            log.Updates.Add((int)reader.ReadSigned());
        }

        return (T)(object)log;
    }
}
