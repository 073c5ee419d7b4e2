using System.Net;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Testing.Wan;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>
/// The running deployment: a process for each silo, one for the storage account, links between the clusters that take their time,
/// and a client for each region. Disposing of it leaves nothing behind.
/// </summary>
internal sealed class Deployment : IAsyncDisposable
{
    // Each instance of an item has one operation under way; while it is activated, retried or read for the books there may be another.
    private const int MostForAnItem = 4;
    private const int LeastQueue = 10_000;

    private static readonly TimeSpan LinkPollInterval = TimeSpan.FromMilliseconds(20);
    private readonly RunOptions _options;
    private readonly Dictionary<string, List<ChildProcess>> _clusters = [];
    private readonly Dictionary<string, ClusterSettings> _firstSilos = [];
    private readonly Dictionary<string, RegionClient> _clients = [];
    private readonly List<DelayedLink> _links = [];
    private readonly List<ChildLog> _logs = [];
    private readonly TemporaryFolder _directories = new();
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
        .. Children.Select(process => (process.Name, (Func<TimeSpan>)(() => process.ProcessorTime))),
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
        _account is null ? null : await _account.AskAsync<string, long>("served", null, cancellationToken);

    /// <summary>Kills the processes of a cluster, or of one of its silos, as a crash would.</summary>
    public Task KillAsync(KillPlan kill) => Task.WhenAll(
        (kill.Silo is { } silo ? [_clusters[kill.Cluster][silo]] : _clusters[kill.Cluster]).Select(process => process.KillAsync()));

    /// <summary>
    /// Starts a killed cluster of one silo again, where it was: a new process with an empty memory. Ends when it serves and sees the
    /// others.
    /// </summary>
    public async Task RestartAsync(string cluster, CancellationToken cancellationToken)
    {
        var process = Start($"{cluster} again", ClusterRole.Name, _firstSilos[cluster]);
        _clusters[cluster].Add(process);
        await process.ReadyAsync<ClusterPorts>(cancellationToken);
        await UntilLinkedAsync(process, cancellationToken);
    }

    /// <summary>Stops the clusters in good order, the first silo of each last; the storage account goes on.</summary>
    public Task StopClustersAsync() => Task.WhenAll(_clusters.Values.Select(async silos =>
    {
        foreach (var silo in Enumerable.Reverse(silos))
        {
            await silo.StopAsync();
        }
    }));

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

        foreach (var process in Children)
        {
            await process.DisposeAsync();
        }

        foreach (var link in _links)
        {
            await link.DisposeAsync();
        }

        _logs.ForEach(log => log.Dispose());
        _directories.Dispose();
    }

    private IEnumerable<ChildProcess> Children => _clusters.Values.SelectMany(silos => silos).Append(_account).OfType<ChildProcess>();

    private async Task StartAsync(CancellationToken cancellationToken)
    {
        if (_options.Variant.State == ItemDurability.Persistent)
        {
            _account = Start("storage account", StoreRole.Name, new StoreSettings(
                _options.Store, _options.StorePath, _options.StoreOps,
                Math.Max(LeastQueue, MostForAnItem * _options.Items * _options.Clusters.Count)));
            Account = await _account.ReadyAsync<string>(cancellationToken);
        }

        // One after the other: each dials those of other clusters that serve already, so that nobody has to guess a free port. One link a
        // pair suffices.
        var serving = new List<(string Cluster, ClusterPorts Ports)>();
        foreach (var cluster in _options.Clusters)
        {
            var others = _options.Clusters.Where(other => other != cluster).ToDictionary(other => other, _ => (IReadOnlyList<string>)[]);
            foreach (var other in serving.GroupBy(silo => silo.Cluster, silo => LinkTo(silo.Ports)))
            {
                others[other.Key] = [.. other];
            }

            _clusters.Add(cluster, []);
            string? first = null;
            for (var silo = 0; silo < _options.Silos; silo++)
            {
                var settings = new ClusterSettings
                {
                    Cluster = cluster,
                    Silo = silo,
                    FirstSilo = first,
                    DirectoryFile = _options.Host == HostKind.Orleans ? _directories.File($"{cluster}.db") : null,
                    Others = others,
                    Port = _options.Port == 0 ? 0 : _options.Port + serving.Count,
                    Variant = _options.Variant,
                    Account = Account,
                    StoreLatency = _options.StoreLatencyOf(cluster),
                };
                var process = Start(_options.Silos == 1 ? cluster : $"{cluster} silo {silo}", ClusterRole.Name, settings);
                _clusters[cluster].Add(process);
                var ports = await process.ReadyAsync<ClusterPorts>(cancellationToken);
                first ??= ports.Silo;
                _firstSilos.TryAdd(cluster, settings with { Port = PortOf(ports.Clusters), GatewayPort = PortOf(ports.Gateway) });
                serving.Add((cluster, ports));
            }
        }

        await Task.WhenAll(_clusters.Values.SelectMany(silos => silos).Select(silo => UntilLinkedAsync(silo, cancellationToken)));
        foreach (var gateways in serving.GroupBy(silo => silo.Cluster, silo => silo.Ports.Gateway))
        {
            var callTimeout = _options is { Kill: not null, Host: HostKind.Orleans }
                ? Defaults.OrleansKillCallTimeout
                : Defaults.CallTimeout;
            var robots = _options.Robots / _options.Clusters.Count;
            _clients.Add(
                gateways.Key, await RegionClient.ConnectAsync(gateways.Key, [.. gateways], robots, callTimeout, cancellationToken));
        }
    }

    private static int PortOf(string address) => IPEndPoint.Parse(address).Port;

    /// <summary>A way to a silo of another cluster that takes its time; where it begins.</summary>
    private string LinkTo(ClusterPorts ports)
    {
        var link = DelayedLink.Start(new DelayedLinkOptions
        {
            Target = IPEndPoint.Parse(ports.Clusters),
            OneWayDelay = TimeSpan.FromMilliseconds(_options.RttMs) / 2,
        });
        _links.Add(link);
        return link.ListeningOn.ToString();
    }

    /// <summary>Waits until a silo sees all other clusters: what is placed earlier would be placed in doubt.</summary>
    private async Task UntilLinkedAsync(ChildProcess silo, CancellationToken cancellationToken)
    {
        var began = TimeProvider.System.GetTimestamp();
        while ((await silo.AskAsync<string, List<string>>("links", null, cancellationToken)).Count < _options.Clusters.Count - 1)
        {
            if (TimeProvider.System.GetElapsedTime(began) > Defaults.ProcessPatience)
            {
                throw new ChildFailedException(
                    $"{silo.Name} found no link to all other clusters within {Defaults.ProcessPatience.TotalSeconds:0} s.");
            }

            await Task.Delay(LinkPollInterval, cancellationToken);
        }
    }

    private ChildProcess Start<TSettings>(string name, string role, TSettings settings)
    {
        var log = new ChildLog(Path.Combine(Defaults.ReportFolder, $"{name.Replace(' ', '-')}.log"));
        _logs.Add(log);
        var process = ChildProcess.Start(name, ProgramStart.Of(typeof(Deployment).Assembly, role), settings, log);
        process.Failed.ContinueWith(
            failed => _failed.TrySetResult(failed.Result), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return process;
    }
}
