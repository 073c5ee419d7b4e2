using System.Text.Json;

namespace Geo.Testing;

/// <summary>The choices of one run in a file, with the build that made them: another build may choose differently.</summary>
internal sealed record ReplayFile(string Build, int Seed, Dictionary<string, ReplayFile.Tape> Tapes)
{
    /// <summary>The environment variable that names a file to replay.</summary>
    public const string EnvironmentVariable = "GEO_REPLAY";

    // A record of a million choices takes some megabytes.
    private const long MaxBytes = 256L << 20;

    /// <summary>Names the code that runs: the simulated assemblies' and the scenario's.</summary>
    public static string BuildOf(Delegate scenario) => string.Join(
        '+',
        new[] { scenario.Method.Module, typeof(ReplayFile).Module, typeof(Embedded.GeoEmbeddedOptions).Module,
            typeof(Directory.GlobalDirectory).Module }
            .Select(m => m.ModuleVersionId.ToString("N")[..8]));

    /// <summary>Writes a record to a new file of the temporary folder.</summary>
    /// <returns>The path of the file.</returns>
    public static string Write(ChoiceRecord record, string build)
    {
        var file = new ReplayFile(
            build, record.Seed.Value, record.Tapes.ToDictionary(t => t.Key, t => new Tape([.. t.Value.Values]), StringComparer.Ordinal));
        var path = Path.Combine(Path.GetTempPath(), $"geo-replay-{record.Seed}-{Path.GetRandomFileName()}.json");
        File.WriteAllBytes(path, JsonSerializer.SerializeToUtf8Bytes(file));
        return path;
    }

    /// <summary>Reads a file that <see cref="Write"/> wrote.</summary>
    /// <exception cref="GeoConfigurationException">The file cannot be read, or is none.</exception>
    public static ReplayFile Read(string path)
    {
        try
        {
            if (new FileInfo(path).Length > MaxBytes)
            {
                throw new GeoConfigurationException(
                    $"{EnvironmentVariable} names '{path}', which is larger than any replay ({MaxBytes} bytes).");
            }

            return JsonSerializer.Deserialize<ReplayFile>(File.ReadAllBytes(path)) is { Tapes: not null } file
                ? file
                : throw new GeoConfigurationException($"{EnvironmentVariable} names '{path}', which holds no replay.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            throw new GeoConfigurationException(
                $"{EnvironmentVariable} names '{path}', which cannot be read ({e.Message}); give it the file that a failed simulation "
                + "named, or remove it.", e);
        }
    }

    public ChoiceRecord ToRecord() => new(
        new SimulationSeed(Seed), Tapes.ToDictionary(t => t.Key, t => new ChoiceTapeRecord(t.Value.Values, []), StringComparer.Ordinal));

    /// <summary>The choices for one purpose.</summary>
    internal sealed record Tape(int[] Values);
}
