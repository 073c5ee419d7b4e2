using System.Net;
using Geo.Testing.Wan;
using TpcwMini.Options;
using TpcwMini.Processes;
using TpcwMini.Store;

namespace TpcwMini.Clusters;

/// <summary>
/// The running deployment: a process for each cluster, one for the storage account, links between the clusters that take their time,
/// and a client for each region. Disposing of it leaves nothing behind.
/// </summary>
internal sealed class Deployment : IAsyncDisposable
{
    private static readonly TimeSpan LinkPollInterval = TimeSpan.FromMilliseconds(20);
    private readonly RunOptions _options;
    private readonly Dictionary<string, ChildProcess> _clusters = [];
    private readonly Dictionary<string, RegionClient> _clients = [];
    private readonly List<DelayedLink> _links = [];
    private readonly List<ChildLog> _logs = [];
    private readonly TaskCompletionSource<string> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ChildProcess? _account;

    private Deployment(RunOptions options) => _options = options;

    /// <summary>Ends with the reason when a process ends that nobody told to.</summary>
    public Task<string> Failed => _failed.Task;

    /// <summary>Where the storage account listens; null for volatile state.</summary>
    public string? Account { get; private set; }

    /// <summary>Every process with the processor time it has used so far.</summary>
    public IReadOnlyList<(string Name, Func<TimeSpan> Used)> Processes =>
    [
        .. _clusters.Values.Append(_account).OfType<ChildProcess>().Select(process => (process.Name, (Func<TimeSpan>)(() => process.ProcessorTime))),
    ];

    /// <summary>Starts everything and connects the regions' clients.</summary>
    public static async Task<Deployment> StartAsync(RunOptions options, CancellationToken cancellationToken)
    {
        var deployment = new Deployment(options);
        try
        {
            await deployment.StartAsync(cancellationToken);
            return deployment;
        }
        catch
        {
            await deployment.DisposeAsync();
            throw;
        }
    }

    /// <summary>The client of a region's robots.</summary>
    public IGrainFactory ClientOf(string cluster) => _clients[cluster].Grains;

    /// <summary>Operations that the storage account has served so far; null without one.</summary>
    public async Task<long?> AccountOperationsAsync(CancellationToken cancellationToken) =>
        _account is null ? null : await _account.AskAsync<long>(cancellationToken);

    /// <summary>Kills a cluster's process as a crash would.</summary>
    public Task KillAsync(string cluster) => _clusters[cluster].KillAsync();

    /// <summary>Stops the clusters in good order; the storage account goes on.</summary>
    public Task StopClustersAsync() => Task.WhenAll(_clusters.Values.Select(cluster => cluster.StopAsync()));

    public async ValueTask DisposeAsync()
    {
        foreach (var client in _clients.Values)
        {
            await client.DisposeAsync();
        }

        await StopClustersAsync();
        if (_account is not null)
        {
            await _account.StopAsync();
        }

        foreach (var process in _clusters.Values.Append(_account).OfType<ChildProcess>())
        {
            await process.DisposeAsync();
        }

        foreach (var link in _links)
        {
            await link.DisposeAsync();
        }

        _logs.ForEach(log => log.Dispose());
    }

    private async Task StartAsync(CancellationToken cancellationToken)
    {
        if (_options.Variant.State == ItemDurability.Persistent)
        {
            _account = Start("storage account", StoreRole.Name, StoreSettings.Of(_options));
            Account = await _account.ReadyAsync<string>(cancellationToken);
        }

        // One after the other: each dials those that serve already, so that nobody has to guess a free port. One link a pair suffices.
        var serving = new List<(string Cluster, ClusterPorts Ports)>();
        foreach (var cluster in _options.Clusters)
        {
            var others = _options.Clusters.Where(other => other != cluster).ToDictionary(other => other, _ => (IReadOnlyList<string>)[]);
            foreach (var (other, ports) in serving)
            {
                var link = DelayedLink.Start(new DelayedLinkOptions
                {
                    Target = IPEndPoint.Parse(ports.Clusters),
                    OneWayDelay = TimeSpan.FromMilliseconds(_options.RttMs) / 2,
                });
                _links.Add(link);
                others[other] = [link.ListeningOn.ToString()];
            }

            var process = Start(cluster, ClusterRole.Name, new ClusterSettings
            {
                Cluster = cluster,
                Others = others,
                Port = _options.Port == 0 ? 0 : _options.Port + serving.Count,
                Variant = _options.Variant,
                Account = Account,
                StoreLatency = _options.StoreLatencyOf(cluster),
            });
            _clusters.Add(cluster, process);
            serving.Add((cluster, await process.ReadyAsync<ClusterPorts>(cancellationToken)));
        }

        await Task.WhenAll(_clusters.Values.Select(cluster => UntilLinkedAsync(cluster, cancellationToken)));
        foreach (var (cluster, ports) in serving)
        {
            _clients.Add(cluster, await RegionClient.ConnectAsync(ports.Gateway, cancellationToken));
        }
    }

    /// <summary>Waits until a cluster sees all others: what is placed earlier would be placed in doubt.</summary>
    private async Task UntilLinkedAsync(ChildProcess cluster, CancellationToken cancellationToken)
    {
        var began = TimeProvider.System.GetTimestamp();
        while ((await cluster.AskAsync<List<string>>(cancellationToken)).Count < _options.Clusters.Count - 1)
        {
            if (TimeProvider.System.GetElapsedTime(began) > Defaults.ProcessPatience)
            {
                throw new ChildFailedException($"Cluster {cluster.Name} found no link to all the others within {Defaults.ProcessPatience.TotalSeconds:0} s.");
            }

            await Task.Delay(LinkPollInterval, cancellationToken);
        }
    }

    private ChildProcess Start<TSettings>(string name, string role, TSettings settings)
    {
        var log = new ChildLog(Path.Combine(Defaults.ReportFolder, $"{name.Replace(' ', '-')}.log"));
        _logs.Add(log);
        var process = ChildProcess.Start(name, role, settings, log);
        process.Failed.ContinueWith(
            failed => _failed.TrySetResult(failed.Result), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return process;
    }
}
