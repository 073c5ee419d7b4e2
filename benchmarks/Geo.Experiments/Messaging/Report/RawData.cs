using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Messaging.Report;

/// <summary>Every run's figures, a JSON object a line, written as they come; the first line says on what machine and how.</summary>
internal sealed class RawData : IAsyncDisposable
{
    private readonly StreamWriter _writer;

    private RawData(string path) => (Path, _writer) = (path, new StreamWriter(path) { AutoFlush = true, NewLine = "\n" });

    public string Path { get; }

    public static RawData Create(RunPlan plan)
    {
        System.IO.Directory.CreateDirectory(plan.OutputFolder);
        var name = string.Create(CultureInfo.InvariantCulture, $"messaging-{DateTime.UtcNow:yyyyMMdd-HHmmss}.jsonl");
        var raw = new RawData(System.IO.Path.Combine(plan.OutputFolder, name));
        raw._writer.WriteLine(JsonSerializer.Serialize(new
        {
            Cores = Environment.ProcessorCount,
            System = RuntimeInformation.OSDescription,
            Runtime = RuntimeInformation.FrameworkDescription,
            plan.Lanes,
            plan.Repeats,
            plan.WarmUpSeconds,
            plan.MeasureSeconds,
        }));
        return raw;
    }

    public Task AddAsync(RunRecord run, IExperimentNetwork network) =>
        _writer.WriteLineAsync(JsonSerializer.Serialize(new { run.Cell, run.Variant, run.Repeat, run.StartedAt, run.OpsPerSecond, run.Peers, Network = network.Description }));

    public ValueTask DisposeAsync() => _writer.DisposeAsync();
}
