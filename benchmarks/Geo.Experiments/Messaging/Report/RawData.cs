using System.Globalization;
using System.Text.Json;

namespace Geo.Experiments.Messaging.Report;

/// <summary>Every run's figures, a JSON object a line, written as they come; the first line says on what machine and how.</summary>
internal sealed class RawData : IAsyncDisposable
{
    private readonly StreamWriter _writer;

    private RawData(string path, RawHeader header, RawFile? earlier)
    {
        (Path, Header, Earlier) = (path, header, earlier?.Runs ?? []);
        _writer = new StreamWriter(path, append: earlier is not null) { AutoFlush = true, NewLine = "\n" };
    }

    public string Path { get; }

    public RawHeader Header { get; }

    /// <summary>What the file already held when it was opened.</summary>
    public IReadOnlyList<RunRecord> Earlier { get; }

    /// <summary>Begins a file, or opens the one that is to be completed.</summary>
    /// <exception cref="GeoConfigurationException">
    /// That one was made in another way, so that its runs are no pair to those to come.
    /// </exception>
    public static RawData Open(RunPlan plan)
    {
        var header = RawHeader.Of(plan);
        if (plan.Resume is { } path)
        {
            var earlier = RawFile.Read(path);
            return header.Matches(earlier.Header)
                ? new RawData(path, earlier.Header, earlier)
                : throw new GeoConfigurationException(
                    $"{path} was made with another build, machine, --lanes, --warmup or --seconds: {earlier.Header}. Begin a new one.");
        }

        System.IO.Directory.CreateDirectory(plan.OutputFolder);
        var name = string.Create(CultureInfo.InvariantCulture, $"messaging-{DateTime.UtcNow:yyyyMMdd-HHmmss}.jsonl");
        var raw = new RawData(System.IO.Path.Combine(plan.OutputFolder, name), header, null);
        raw._writer.WriteLine(JsonSerializer.Serialize(header));
        return raw;
    }

    public Task AddAsync(RunRecord run) => _writer.WriteLineAsync(JsonSerializer.Serialize(run));

    public ValueTask DisposeAsync() => _writer.DisposeAsync();
}
