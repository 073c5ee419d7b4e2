using System.Net;
using Geo.Processes;
using Geo.Processes.Stores;
using TpcwMini.Grains;
using TpcwMini.Options;
using TpcwMini.Robots;

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

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);
    private readonly RunOptions _options;
    private readonly Dictionary<string, List<ChildProcess>> _clusters = [];
    private readonly Dictionary<string, ClusterSettings> _firstSilos = [];
    private readonly Dictionary<string, RegionClient> _clients = [];
    private readonly RegionLinks _links;
    private readonly List<ChildLog> _logs = [];
    private readonly TemporaryFolder _directories = new();
    private readonly TaskCompletionSource<string> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ChildProcess? _account;

    private Deployment(RunOptions options) =>
        (_options, _links) = (options, new RegionLinks(TimeSpan.FromMilliseconds(options.RttMs) / 2));

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

    /// <summary>Which region serves whose customers.</summary>
    public CustomerRoutes Routes { get; } = new();

    /// <summary>The client of a region's robots.</summary>
    public IGrainFactory ClientOf(string cluster) => _clients[cluster].Grains;

    /// <summary>Begins an order of a region's customer, with a cart where the customers of that region are served now.</summary>
    public OpenOrder Open(string region, string customer)
    {
        var through = Routes.Begin(region);
        var cart = ClientOf(through).GetGrain<ICart>(through == region ? customer : $"{customer}@{through}");
        return new OpenOrder(cart, () => Routes.End(through));
    }

    /// <summary>Operations that the storage account has served so far; null without one.</summary>
    public async Task<long?> AccountOperationsAsync(CancellationToken cancellationToken) =>
        _account is null ? null : await _account.AskAsync<string, long>("served", null, cancellationToken);

    /// <summary>Kills the processes of a cluster, or of one of its silos, as a crash would.</summary>
    public Task KillAsync(KillPlan kill) => Task.WhenAll(
        (kill.Silo is { } silo ? [_clusters[kill.Cluster][silo]] : _clusters[kill.Cluster]).Select(process => process.KillAsync()));

    /// <summary>Cuts a region off from all others, in both directions.</summary>
    public void Cut(string cluster) => _links.Cut(cluster);

    /// <summary>Lets a region and the others hear each other again.</summary>
    public void Heal(string cluster) => _links.Heal(cluster);

    /// <summary>Takes a region in whose silos run; ends when it is a member and all silos know it.</summary>
    public Task AddAsync(string cluster, CancellationToken cancellationToken) => ChangeAsync(
        cluster, SiloQuestionKind.Add, answer => answer is ["member"], cancellationToken);

    /// <summary>Takes a region out in order and stops its silos; ends when they have.</summary>
    public async Task DrainAsync(string cluster, CancellationToken cancellationToken)
    {
        await UntilAsync(
            () => Task.FromResult<string?>(Routes.OpenThrough(cluster) is > 0 and var open ? $"{open} orders are open there" : null),
            $"The customers of {cluster} did not finish", cancellationToken);
        await ChangeAsync(cluster, SiloQuestionKind.Remove, answer => answer is ["outside", ..], cancellationToken);
        await StopAsync(_clusters[cluster]);
    }

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
    public Task StopClustersAsync() => Task.WhenAll(_clusters.Values.Select(StopAsync));

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

        await _links.DisposeAsync();
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
                Math.Max(LeastQueue, MostForAnItem * _options.Items * _options.AllClusters.Count)));
            Account = await _account.ReadyAsync<string>(cancellationToken);
        }

        // One after the other: each dials those of other clusters that serve already, so that nobody has to guess a free port. One link a
        // pair suffices. A cluster that is to be added knows all others, and none of them knows it.
        var serving = new List<(string Cluster, ClusterPorts Ports)>();
        foreach (var cluster in _options.AllClusters)
        {
            var others = _options.Clusters.Where(other => other != cluster).ToDictionary(other => other, _ => (IReadOnlyList<string>)[]);
            foreach (var other in serving.GroupBy(silo => silo.Cluster, silo => _links.Lay(cluster, silo.Cluster, silo.Ports.Clusters)))
            {
                others[other.Key] = [.. other];
            }

            _clusters.Add(cluster, []);
            string? first = null;
            for (var silo = 0; silo < _options.Silos; silo++)
            {
                var settings = SettingsOf(cluster, silo, others) with
                {
                    FirstSilo = first,
                    Port = _options.Port == 0 ? 0 : _options.Port + serving.Count,
                };
                var process = Start(_options.Silos == 1 ? cluster : $"{cluster} silo {silo}", ClusterRole.Name, settings);
                _clusters[cluster].Add(process);
                var ports = await process.ReadyAsync<ClusterPorts>(cancellationToken);
                first ??= ports.Silo;
                _firstSilos.TryAdd(cluster, settings with { Port = PortOf(ports.Clusters), GatewayPort = PortOf(ports.Gateway) });
                serving.Add((cluster, ports));
            }
        }

        await Task.WhenAll(
            _options.Clusters.SelectMany(cluster => _clusters[cluster]).Select(silo => UntilLinkedAsync(silo, cancellationToken)));
        foreach (var gateways in serving.GroupBy(silo => silo.Cluster, silo => silo.Ports.Gateway))
        {
            var callTimeout = _options is { Kill: not null, Host: HostKind.Orleans }
                ? Defaults.OrleansKillCallTimeout
                : Defaults.CallTimeout;

            // A client has room for the customers of a region that is drained, too.
            var robots = _options.Robots * (_options.Drain is null ? 1 : 2) / _options.AllClusters.Count;
            _clients.Add(
                gateways.Key, await RegionClient.ConnectAsync(gateways.Key, [.. gateways], robots, callTimeout, cancellationToken));
        }
    }

    private ClusterSettings SettingsOf(string cluster, int silo, Dictionary<string, IReadOnlyList<string>> others)
    {
        var isQuorum = _options.Mode == SingleInstanceMode.Quorum;
        return new ClusterSettings
        {
            Cluster = cluster,
            Silo = silo,
            DirectoryFile = _options.Host == HostKind.Orleans ? _directories.File($"{cluster}.db") : null,
            Others = others,
            Variant = _options.Variant,
            Mode = _options.Mode,
            Majority = isQuorum ? _options.Clusters : [],
            MajorityFile = isQuorum && _options.Clusters.Contains(cluster) ? _directories.File($"{cluster}-owners.db") : null,
            IsLive = _options.IsLive,
            Account = Account,
            StoreLatency = _options.StoreLatencyOf(cluster),
        };
    }

    private static int PortOf(string address) => IPEndPoint.Parse(address).Port;

    private static async Task StopAsync(IEnumerable<ChildProcess> silos)
    {
        foreach (var silo in silos.Reverse())
        {
            await silo.StopAsync();
        }
    }

    /// <summary>Waits until a silo sees all other clusters: what is placed earlier would be placed in doubt.</summary>
    private Task UntilLinkedAsync(ChildProcess silo, CancellationToken cancellationToken) => UntilAsync(
        async () => (await AskAsync(silo, new(SiloQuestionKind.Links), cancellationToken)).Count >= _options.Clusters.Count - 1
            ? null
            : "links are missing",
        $"{silo.Name} found no link to all other clusters", cancellationToken);

    /// <summary>
    /// Changes the clusters as an administrator does, at the first silo of another region: asks until nothing stands against it, and then
    /// until it is done.
    /// </summary>
    private async Task ChangeAsync(
        string cluster, SiloQuestionKind kind, Func<IReadOnlyList<string>, bool> isDone, CancellationToken cancellationToken)
    {
        var asked = _clusters[_options.OtherThan(cluster)][0];
        await UntilAsync(
            async () => (await AskAsync(asked, new(kind, cluster), cancellationToken)).FirstOrDefault(),
            $"{kind} {cluster} was refused", cancellationToken);
        await UntilAsync(
            async () => await AskAsync(asked, new(SiloQuestionKind.Stage, cluster), cancellationToken) is var answer && isDone(answer)
                ? null
                : string.Join(": ", answer),
            $"{kind} {cluster} was not done", cancellationToken);
    }

    private static Task<List<string>> AskAsync(ChildProcess silo, SiloQuestion question, CancellationToken cancellationToken) =>
        silo.AskAsync<SiloQuestion, List<string>>(question, null, cancellationToken);

    /// <summary>Looks again and again until nothing is missing, for a bounded time.</summary>
    private static async Task UntilAsync(Func<Task<string?>> missing, string complaint, CancellationToken cancellationToken)
    {
        var began = TimeProvider.System.GetTimestamp();
        while (await missing() is { } what)
        {
            if (TimeProvider.System.GetElapsedTime(began) > Defaults.ProcessPatience)
            {
                throw new ChildFailedException($"{complaint} within {Defaults.ProcessPatience.TotalSeconds:0} s: {what}");
            }

            await Task.Delay(PollInterval, cancellationToken);
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
