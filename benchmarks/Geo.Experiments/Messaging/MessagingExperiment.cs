using Geo.Experiments.Messaging.Report;
using Geo.Experiments.Networks;
using Geo.Experiments.Processes;
using Geo.Processes;
using Spectre.Console;

namespace Geo.Experiments.Messaging;

/// <summary>Runs the cells of a plan, each with processes and a network of its own.</summary>
internal sealed class MessagingExperiment(RunPlan plan, IAnsiConsole console)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    /// <returns>Where the raw data are.</returns>
    public async Task<string> RunAsync(CancellationToken cancellationToken)
    {
        await using var raw = RawData.Open(plan);
        var made = raw.Earlier.Select(run => (run.Cell, run.Variant, run.Repeat)).ToHashSet();
        var left = plan.Cells.ToDictionary(
            cell => cell, cell => plan.RunsOf(cell).Where(run => !made.Contains((cell.Cell, run.Variant, run.Repeat))).ToArray());
        console.MarkupLineInterpolated($"{ReportHeader.Of(raw.Header, Networks())}");
        var runs = left.SelectMany(cell => cell.Value, (cell, run) => (cell.Key.Cell, run.Variant)).ToArray();
        var minutes = plan.Estimate(runs).TotalMinutes;
        console.MarkupLineInterpolated(
            $"{runs.Length} runs of {plan.Cells.Count} cells, about {minutes:0.0} minutes from {DateTimeOffset.Now:HH:mm}.");
        foreach (var cell in plan.Cells.Where(cell => left[cell].Length > 0))
        {
            await RunAsync(cell, left[cell], raw, cancellationToken);
        }

        return raw.Path;
    }

    private IEnumerable<NetworkKind> Networks() => plan.Cells.Select(cell => cell.Cell.RoundTripMilliseconds == 0
        ? NetworkKind.Loopback
        : ExperimentNetwork.KindOverDistance(plan.UseDelayLines)).Distinct();

    private async Task RunAsync(
        PlannedCell planned, (int Repeat, Variant Variant)[] toRun, RawData raw, CancellationToken cancellationToken)
    {
        var cell = planned.Cell;
        await using var network = ExperimentNetwork.Create(
            TimeSpan.FromMilliseconds(cell.RoundTripMilliseconds), cell.Peers(), plan.UseDelayLines);
        console.MarkupLineInterpolated($"[bold]{cell}[/] over {network.Kind.Description()}");
        var runs = raw.Earlier.Where(run => run.Cell == cell).ToList();
        foreach (var (repeat, variant) in toRun)
        {
            var run = await RunAsync(network, cell, variant, repeat, cancellationToken);
            runs.Add(run);
            await raw.AddAsync(run);
            console.MarkupLineInterpolated($"  repeat {repeat}: {variant.Name}: {run.OpsPerSecond:N1} ops/s, median {run.Median:N2} ms");
        }

        console.Write(CellTable.Of(cell, runs));
    }

    private async Task<RunRecord> RunAsync(
        IExperimentNetwork network, Cell cell, Variant variant, int repeat, CancellationToken cancellationToken)
    {
        var started = DateTimeOffset.UtcNow;
        var seconds = cell.MeasureSeconds(plan.MeasureSeconds);
        using var certificate = cell.IsEncrypted ? new ExperimentCertificate() : null;
        var peers = new List<ChildProcess>();
        try
        {
            for (var index = 0; index < cell.Peers(); index++)
            {
                peers.Add(Start(network, new PeerSettings(
                    index, network.AddressOf(index).ToString(), cell, variant, plan.WarmUpSeconds, seconds, certificate?.Folder)));
            }

            var ports = await Task.WhenAll(peers.Select(peer => peer.ReadyAsync<int>(cancellationToken)));
            var patience = Patience + TimeSpan.FromSeconds(2 * (plan.WarmUpSeconds + seconds));
            var figures = await Task.WhenAll(peers.Select((peer, from) => peer.AskAsync<string[], PeerFigures?>(
                [.. ports.Select((port, to) => network.Route(from, to, port).ToString())], patience, cancellationToken)));
            return new RunRecord(
                cell, variant, repeat, started, network.Kind, plan.WarmUpSeconds, seconds, [.. figures.OfType<PeerFigures>()]);
        }
        finally
        {
            await Task.WhenAll(peers.Select(EndAsync));
        }
    }

    private static ChildProcess Start(IExperimentNetwork network, PeerSettings settings)
    {
        var start = settings.Variant.Stack == Stack.Orleans
            ? ProgramStart.Dotnet(OrleansPeer.Assembly ?? throw new ChildFailedException(OrleansPeer.Absence), PeerRole.Name)
            : ProgramStart.Of(typeof(PeerRole).Assembly, PeerRole.Name);
        return ChildProcess.Start($"peer {settings.Index}", network.At(settings.Index, start), settings, new ChildLog());
    }

    private static async Task EndAsync(ChildProcess peer)
    {
        await peer.StopAsync();
        await peer.DisposeAsync();
    }
}
