using System.Text.Json;

namespace Geo.Experiments.Messaging.Report;

/// <summary>Raw data as they were written.</summary>
/// <param name="Name">The file's name without its folder.</param>
/// <param name="Header">How they were made.</param>
/// <param name="Runs">The runs, in order.</param>
internal sealed record RawFile(string Name, RawHeader Header, IReadOnlyList<RunRecord> Runs)
{
    /// <summary>Reads a file.</summary>
    /// <exception cref="GeoConfigurationException">It is not there, or something else stands in it.</exception>
    public static RawFile Read(string path)
    {
        if (!File.Exists(path))
        {
            throw new GeoConfigurationException($"There are no raw data at {path}.");
        }

        try
        {
            var lines = File.ReadAllLines(path);
            return new RawFile(
                Path.GetFileName(path),
                JsonSerializer.Deserialize<RawHeader>(lines[0])!,
                [.. lines.Skip(1).Select(line => JsonSerializer.Deserialize<RunRecord>(line)!)]);
        }
        catch (Exception e) when (e is JsonException or FormatException or IndexOutOfRangeException)
        {
            throw new GeoConfigurationException($"{path} does not hold raw data of this experiment: {e.Message}");
        }
    }
}
