// Longer than most: all parts of a silo are put together here, and taken apart in the opposite order.
using Geo.Consistency;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using MessagingOptions = Geo.Messaging.MessagingOptions;

namespace Geo.Orleans;

/// <summary>Geo on one silo: its links to other clusters and its directory, started and stopped with the silo.</summary>
internal sealed class GeoSilo(
    GeoSiloBuilder builder, IOptions<GeoOrleansOptions> options, IServiceProvider services, ILocalSiloDetails details, TimeProvider time,
    ILoggerFactory loggers, StatusReader status) : IGeoSilo, ISiloAccess, ILifecycleParticipant<ISiloLifecycle>, IAsyncDisposable
{
    // What a part may take to end besides the waits that the options bound.
    private static readonly TimeSpan PartGrace = TimeSpan.FromSeconds(10);

    private readonly ILogger _logger = loggers.CreateLogger<GeoSilo>();
    private MessagingNode? _node;
    private ClusterMessenger? _links;
    private ClusterAgreement? _agreement;
    private IClusterMessenger? _messenger;
    private ClusterSilo? _cluster;
    private ConfigurationSource? _configuration;
    private GlobalDirectory? _directory;
    private InstanceDirectories? _directories;
    private IGeoAdministration? _administration;
    private ReplicaRelay? _replicas;
    private GeoLattices? _lattices;
    private IDisposable? _calls;
    private InstanceRegistration? _registration;
    private ClusterReach? _reach;
    private SiblingRelay? _relay;
    private SiloStores? _stores;
    private readonly CancellationTokenSource _stopping = new();
    private Task _refreshing = Task.CompletedTask;
    private bool _disposed;

    /// <summary>The way to the other clusters.</summary>
    public IClusterMessenger Messenger => _messenger ?? throw NotStarted();

    /// <summary>The directory of single-instance grains.</summary>
    public GlobalDirectory Directory => _directory ?? throw NotStarted();

    /// <summary>The directories of single-instance grains, by mode.</summary>
    public InstanceDirectories Directories => _directories ?? throw NotStarted();

    public IGeoAdministration Administration => _administration ?? throw NotStarted();

    /// <summary>Moves instances to where their classes say that they live; null where no class here says so.</summary>
    public HomeKeeper? Homes { get; private set; }

    public IGeoConfiguration? Configuration => _configuration?.Administration;

    public MoveHistory Moves => (_cluster ?? throw NotStarted()).Moves;

    public Journal<ConfigurationStep> ConfigurationSteps => (_configuration ?? throw NotStarted()).Steps;

    public IEnumerable<KeyValuePair<string, IKeptStore>> KeptStores => (_stores ?? throw NotStarted()).Made
        .Where(store => store.Value is IKeptStore).Select(store => KeyValuePair.Create(store.Key, (IKeptStore)store.Value));

    public IConditionalStore FindStore(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return services.GetRequiredService<SiloStores>().Given(name);
    }

    /// <summary>Lets activations through that may run on this silo.</summary>
    public InstanceRegistration Registration => _registration ?? throw NotStarted();

    /// <summary>How long other clusters have been out of this silo's reach.</summary>
    public ClusterReach Reach => _reach ?? throw NotStarted();

    /// <summary>The instances of journaled grains in this cluster, and the way to those in others.</summary>
    public ReplicaRelay Replicas => _replicas ?? throw NotStarted();

    public ClusterId Cluster => new(options.Value.ClusterId);

    public PeerAddress? ListeningOn => _node?.ListeningOn;

    public bool IsLinkedTo(ClusterId cluster) => _messenger?.IsLinked(cluster) == true;

    public void Participate(ISiloLifecycle lifecycle)
    {
        // Before any grain can activate, and until all have ended.
        lifecycle.Subscribe(nameof(GeoSilo), ServiceLifecycleStage.AfterRuntimeGrainServices, StartAsync, StopAsync);

        // Once grain storages, which a store may be over, have been started, and before grains are placed here.
        lifecycle.Subscribe(nameof(ClusterMessenger), ServiceLifecycleStage.BecomeActive - 1, LinkAsync);

        // Calls from other clusters only while grains can be placed.
        lifecycle.Subscribe(nameof(CallReceiver), ServiceLifecycleStage.Active, _ => ReceiveCalls(), _ => RefuseCalls());
    }

    /// <summary>Closes what a silo that did not stop in an orderly way has left open.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        await EndAsync(
            ("status", Now(status.End)),
            ("part in the stores of all clusters", Now(() => _stores?.Leave())),
            ("service for other clusters", Now(() => _calls?.Dispose())),
            ("versions shared with other instances", Now(() => _replicas?.Dispose())),
            ("replicas of coordination-free grains", Now(() => _lattices?.Dispose())),
            ("watch over the links", Now(() => _reach?.Dispose())),
            ("relaying for siblings", Now(() => _relay?.Dispose())),
            ("reading of entry points", EndRefreshingAsync),
            ("homes of grains", () => Homes?.DisposeAsync() ?? default),
            ("configuration", () => _configuration?.DisposeAsync() ?? default),
            ("membership of its cluster", () => _cluster?.DisposeAsync() ?? default),
            ("directory by majority", () => _directories?.Quorum?.DisposeAsync() ?? default),
            ("directory", () => _directory?.DisposeAsync() ?? default),
            ("messenger of other clusters", () => _links?.DisposeAsync() ?? default),
            ("node of other clusters", () => _node?.DisposeAsync() ?? default));
        _stopping.Dispose();
    }

    private async ValueTask EndRefreshingAsync()
    {
        await _stopping.CancelAsync();
        await _refreshing;
    }

    private async Task StartAsync(CancellationToken cancellationToken)
    {
        foreach (var (place, instead) in OrleansSeams.Missing(ActivationSeam.Reachable, ReaderSeam.Reachable, ReplicaSeam.Reachable))
        {
            _logger.SeamMissing(place, instead);
        }

        var local = new ClusterId(options.Value.ClusterId);
        var membership = services.GetRequiredService<OrleansMembership>();
        var siblings = services.GetRequiredService<OrleansSiblings>();
        var configuration = _configuration = services.GetRequiredService<ConfigurationSource>();
        _agreement = new ClusterAgreement(local, configuration.IsLive ? null : [.. Others(local)]);
        _messenger = _relay = new SiblingRelay(
            services.GetService<IClusterMessenger>() ?? PrepareLinks(local, _agreement), membership, siblings, options.Value.CallTimeout,
            time, new RelayLimits(options.Value.MaxRelayedMessages, options.Value.MaxRelayedBytes));
        if (services.GetRequiredService<IOptions<GrainTypeOptions>>().Value.Classes.Any(JournalDeclarations.AreInMemory))
        {
            // Before it is a silo of its cluster, whose lease others would have to wait for.
            builder.VersionedLeader.EnsureCarriedBy(_messenger);
        }

        _stores = services.GetRequiredService<SiloStores>();
        _stores.Join(_messenger);
        var isReadOverLinks = IsConfigurationKeptTogether;
        if (isReadOverLinks)
        {
            await AgreeAsync(cancellationToken);
            await StartLinksAsync(cancellationToken);
        }

        await configuration.LoadAsync(options.Value.StoreCheckTimeout, cancellationToken);
        if (isReadOverLinks)
        {
            DialAnew();
        }

        _reach = new ClusterReach(_messenger, configuration.Present.Others(local), time);
        var cluster = _cluster = services.GetRequiredService<ClusterSilo>();
        cluster.Fenced += StopHost;
        await cluster.StartAsync(cancellationToken, configuration.Confirm);
        _directory = new GlobalDirectory(
            builder.Directory with { Channel = builder.Directory.Channel ?? LinkChannels.Control }, _messenger,
            services.GetRequiredService<SiloStores>().Rows,
            configuration.Present, cluster.Instances, time, new Random(), loggers.CreateLogger<GlobalDirectory>())
        {
            Serves = key => Serves(key, byMajority: false),
        };
        _directories = new InstanceDirectories(_directory, MakeQuorum(cluster));
        var singles = services.GetRequiredService<GlobalSingleGrains>();
        _administration = _directories.AdministrationBy(
            key => singles.ModeOf(GrainNames.ToGrainId(key).Type) == SingleInstanceMode.Quorum);
        if (services.GetRequiredService<IOptions<GrainTypeOptions>>().Value.Classes
            .Any(c => c.IsDefined(typeof(HomeAttribute), inherit: true)))
        {
            Homes = new HomeKeeper(
                _messenger, () => _directory.Configuration, () => Administration, builder.Directory, _directory.Metrics, time,
                loggers.CreateLogger<HomeKeeper>());
        }

        if (!isReadOverLinks)
        {
            Serve();
        }

        _registration = cluster.Register(_directories);
        _replicas = new ReplicaRelay(
            _messenger, membership, siblings, () => _directory.Configuration.Clusters, ActivateAsync,
            node => cluster.Liveness.StateOf(node) == NodeState.Gone, loggers.CreateLogger<ReplicaRelay>(), time, Random.Shared,
            builder.Replicas, builder.VersionedLeader);
        _replicas.Exchange.Memories.Logger = loggers.CreateLogger<ReplicaExchange>();
        _replicas.Exchange.Memories.MayServe = () => cluster.Guard.MayServe;
        _ = services.GetRequiredService<Arrivals>();
        _lattices = services.GetRequiredService<GeoLattices>();
        _lattices.Start(_messenger, () => _directory.Configuration.Clusters);
        var stores = services.GetRequiredService<SiloStores>();
        status.Begin(new SiloSnapshot(cluster.Local, _reach, _directory, cluster, _lattices.Running, _node).Read, () => stores.Made, time);
        _logger.GeoStarted(local, string.Join(", ", _directory.Configuration.Clusters), options.Value.ListenOn ?? "none");
    }

    private void Serve()
    {
        _directory!.Start();
        _configuration!.Follow(_directories!, _cluster!.Versions, DialAnew);
    }

    /// <summary>The configuration may say that clusters are reached elsewhere.</summary>
    private void DialAnew() => services.GetRequiredService<EntryPoints>().Wake();

    private bool Serves(GrainKey key, bool byMajority) =>
        services.GetRequiredService<SharedStores>().FindSingleInstances().TryGetValue(key.Type, out var isByMajority)
        && isByMajority == byMajority && !services.GetRequiredService<PlacementFilters>().LeaveNone(GrainNames.ToGrainId(key));

    /// <summary>
    /// The directory of the grains of the mode Quorum; null where no class here has it and there is no store for it. A silo that serves
    /// none of the classes still has calls from other clusters to look up, and may be the one that counts what its cluster holds. It begins
    /// when the silo is linked.
    /// </summary>
    private QuorumDirectory? MakeQuorum(ClusterSilo cluster) =>
        !services.GetRequiredService<IOptions<GrainTypeOptions>>().Value.Classes.Any(SharedStores.IsOwnedByQuorum)
            && !_stores!.Has(builder.Quorum.Store) ? null
            : new QuorumDirectory(
                builder.Quorum, builder.Directory, Messenger, _stores!.Given(builder.Quorum.Store),
                new(cluster.Local, cluster.Liveness.MayBeCalled)
                {
                    Clusters = () => Directory.Configuration,
                    Siblings = services.GetRequiredService<OrleansSiblings>(),
                    Serves = key => Serves(key, byMajority: true),
                },
                new OrleansInstances(services.GetRequiredService<TrackedActivations>()),
                Directory.Metrics, Directory.Moves, time, Random.Shared, loggers.CreateLogger<QuorumDirectory>());

    /// <summary>Another cluster's instance asks for the one here, wherever in this cluster Orleans places it.</summary>
    private async ValueTask<bool> ActivateAsync(GrainKey key, CancellationToken cancellationToken)
    {
        await services.GetRequiredService<IGrainFactory>().GetGrain(GrainNames.ToGrainId(key)).AsReference<IGeoTouch>().TouchAsync()
            .WaitAsync(cancellationToken);
        return true;
    }

    /// <summary>
    /// The silo never serves a single-instance grain again, and Orleans would go on placing them here. Not on the thread that found out:
    /// whoever hears of the stop may wait for its end.
    /// </summary>
    private void StopHost() => _ = Task.Run(() => services.GetService<IHostApplicationLifetime>()?.StopApplication());

    private IEnumerable<ClusterId> Others(ClusterId local) =>
        options.Value.Clusters.Keys.Select(name => new ClusterId(name)).Where(cluster => cluster != local);

    private ClusterMessenger PrepareLinks(ClusterId local, ClusterAgreement agreement)
    {
        var cluster = services.GetRequiredService<IOptions<ClusterOptions>>().Value;
        var endpoint = details.SiloAddress.Endpoint;
        _node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId($"{local}/{endpoint.Address}:{endpoint.Port}"),
                Cluster = local,
                ClusterInstance = $"{cluster.ServiceId}/{cluster.ClusterId}",
                ListenOn = options.Value.ListenOn is { } address ? PeerAddress.Parse(address) : null,
                Tls = options.Value.Tls,
                AllowInsecure = options.Value.AllowInsecure,
                DeadLinkAfter = options.Value.DeadLinkAfter,
                HeartbeatInterval = options.Value.DeadLinkAfter / 6,
                Channels = LinkChannels.All,
                Facts = agreement,
            },
            time, loggers);

        // The names are known, the addresses are looked up when the links are started.
        _links = new ClusterMessenger(_node, Others(local).ToDictionary(c => c, _ => (IReadOnlyList<PeerAddress>)[]));
        return _links;
    }

    private bool IsConfigurationKeptTogether =>
        options.Value.ConfigurationStore is { } name && _stores!.Given(name) is IClusterStore;

    /// <summary>
    /// Compares the stores of this silo with those of its siblings, and links it with the clusters whose stores fit its own.
    /// </summary>
    private async Task LinkAsync(CancellationToken cancellationToken)
    {
        var isLinked = IsConfigurationKeptTogether;
        if (!isLinked)
        {
            await AgreeAsync(cancellationToken);
        }

        await _cluster!.Facts.CompareAsync(
            _agreement!.Own, (node, theirs) => _agreement.Stores.DifferenceWithin(node, StoreFacts.Read(theirs.Span)), cancellationToken);
        if (!isLinked)
        {
            await StartLinksAsync(cancellationToken);
        }

        await _configuration!.CompareAsync(Messenger, cancellationToken);
        if (isLinked)
        {
            // Not before: other clusters ask a silo that is linked.
            Serve();
        }

        _directories!.Quorum?.Start();
        Homes?.Start(_directories);
    }

    /// <summary>Finds out what this silo tells others of its stores.</summary>
    /// <exception cref="GeoConfigurationException">A store starts too late to be asked.</exception>
    private async Task AgreeAsync(CancellationToken cancellationToken)
    {
        var settings = options.Value;
        _stores!.MakeAll();
        var hasOthers = _configuration!.IsLive || Others(Cluster).Any();
        var shared = services.GetRequiredService<SharedStores>();
        var compared = new ComparedStores
        {
            Rows = _stores.GivenRows,
            AllowUnshared = settings.AllowUnsharedStores,
            Configuration = settings.ConfigurationStore is { } name ? _stores.Given(name) : null,
            Owners = shared.FindOwners(hasOthers),
            SingleInstances = shared.FindSingleInstances(),
            CoordinationFree = shared.FindCoordinationFree(),
            Confirmations = shared.FindConfirmations(),
        };
        compared = hasOthers ? compared with { Shared = shared.Find(settings.AllowUnsharedStores) } : compared;
        if (IsConfigurationKeptTogether
            && compared.Shared.FirstOrDefault(store => store.Value is GrainStorageConditionalStore) is { Key: { } late })
        {
            throw new GeoConfigurationException(
                $"The ConfigurationStore '{settings.ConfigurationStore}' is kept by the clusters together: a silo reads it over its links, "
                + $"before grain storages start, one of which store '{late}' is over. Give '{late}' a store that a silo reaches by itself, "
                + "such as PostgreSQL, or name such a one as ConfigurationStore.");
        }

        _agreement!.Stores = await compared.IdentifyAsync(time, Random.Shared, settings.StoreCheckTimeout, cancellationToken);
    }

    /// <summary>Links this silo with the other clusters, unless the application has a messenger of its own.</summary>
    private async Task StartLinksAsync(CancellationToken cancellationToken)
    {
        if (_node is null || _links is null)
        {
            return;
        }

        await _node.StartAsync(cancellationToken);
        var entryPoints = services.GetRequiredService<EntryPoints>();
        _links.UseEntryPoints(await entryPoints.FindAsync(cancellationToken));
        await _links.EnsureFitsAsync(options.Value.StartLinkTimeout, cancellationToken);
        _refreshing = entryPoints.KeepFreshAsync(_links, _stopping.Token);
    }

    private Task ReceiveCalls()
    {
        _calls = Messenger.Handle(CallReceiver.Service, services.GetRequiredService<CallReceiver>().HandleAsync);
        return Task.CompletedTask;
    }

    internal Task RefuseCalls()
    {
        _calls?.Dispose();
        return Task.CompletedTask;
    }

    private async Task StopAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            // The silo is torn down: its rows are for others to take over.
            await DisposeAsync();
            return;
        }

        await EndAsync(
            ("status", Now(status.End)),
            ("updates of coordination-free grains", () => new(_lattices?.LeaveAsync(cancellationToken) ?? Task.CompletedTask)),
            ("versions shared with other instances", () => new(_replicas?.HandOverAsync() ?? Task.CompletedTask)),
            ("homes of grains", () => Homes?.DisposeAsync() ?? default),
            ("configuration", () => _configuration?.DisposeAsync() ?? default),
            ("directory by majority", () => _directories?.Quorum?.LeaveAsync() ?? default),
            ("directory", () => _directory?.DisposeAsync() ?? default),
            ("lease", () => new(services.GetRequiredService<ClusterSilo>().LeaveAsync(cancellationToken))),
            ("part in the stores of all clusters", Now(() => _stores?.Leave())),
            ("node of other clusters", () => new(_node?.LeaveAsync(cancellationToken) ?? Task.CompletedTask)));
        await DisposeAsync();
    }

    /// <summary>Ends parts of the silo one after another, each in bounded time; what goes wrong is logged.</summary>
    private async Task EndAsync(params (string Part, Func<ValueTask> End)[] parts)
    {
        var steps = new StopSteps(time, _logger.StopFailed);
        foreach (var (part, end) in Enumerable.Reverse(parts))
        {
            steps.Add(part, end);
        }

        await steps.RunAsync(
            PartGrace + builder.Lattices.MaxRetryAfter + (2 * builder.VersionedLeader.HandOverWait) + options.Value.LeaseDuration);
    }

    private static Func<ValueTask> Now(Action end) => () =>
    {
        end();
        return default;
    };

    private static InvalidOperationException NotStarted() =>
        new("Geo is not started on this silo yet; grains can be called once the silo is active.");
}
