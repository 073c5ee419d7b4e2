using Geo.Experiments.Messaging.Report;
using Geo.Experiments.Networks;
using Geo.Experiments.Processes;
using Spectre.Console;

namespace Geo.Experiments.Messaging;

/// <summary>Runs the cells of a plan, each with processes and a network of its own.</summary>
internal sealed class MessagingExperiment(RunPlan plan, IAnsiConsole console)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var raw = RawData.Create(plan);
        foreach (var cell in plan.Cells)
        {
            await using var network = ExperimentNetwork.Create(
                TimeSpan.FromMilliseconds(cell.RoundTripMilliseconds), cell.Peers(), plan.UseDelayLines);
            console.MarkupLineInterpolated($"[bold]{cell}[/] over {network.Description}");
            var runs = new List<RunRecord>();
            for (var repeat = 1; repeat <= plan.Repeats; repeat++)
            {
                foreach (var variant in plan.VariantsOf(cell))
                {
                    var run = await RunAsync(network, cell, variant, repeat, cancellationToken);
                    runs.Add(run);
                    await raw.AddAsync(run, network);
                    console.MarkupLineInterpolated($"  repeat {repeat}: {variant.Name}: {run.OpsPerSecond:N1} ops/s, median {run.Median:N2} ms");
                }
            }

            console.Write(CellTable.Of(cell, plan, runs));
        }

        console.MarkupLineInterpolated($"Raw data: {raw.Path}");
    }

    private async Task<RunRecord> RunAsync(
        IExperimentNetwork network, Cell cell, Variant variant, int repeat, CancellationToken cancellationToken)
    {
        var started = DateTimeOffset.UtcNow;
        var peers = new List<PeerProcess>();
        try
        {
            for (var index = 0; index < cell.Peers(); index++)
            {
                peers.Add(PeerProcess.Start(network, new PeerSettings(
                    index, network.AddressOf(index).ToString(), cell, variant, plan.WarmUpSeconds, plan.MeasureSeconds)));
            }

            var ports = await Task.WhenAll(peers.Select(peer => peer.ListeningAsync(cancellationToken)));
            for (var from = 0; from < peers.Count; from++)
            {
                peers[from].Go(ports.Select((port, to) => network.Route(from, to, port)));
            }

            var patience = Patience + TimeSpan.FromSeconds(2 * (plan.WarmUpSeconds + plan.MeasureSeconds));
            var loading = cell.Workload == Workload.KeyValue ? peers : peers.Take(1);
            var figures = await Task.WhenAll(loading.Select(peer => peer.ResultAsync(patience, cancellationToken)));
            return new RunRecord(cell.ToString(), variant.Name, repeat, started, cell.PayloadBytes, figures);
        }
        finally
        {
            foreach (var peer in peers)
            {
                await peer.DisposeAsync();
            }
        }
    }
}
