// Longer than most: all parts of a silo are put together here, and taken apart in the opposite order.
using System.Runtime.ExceptionServices;
using Geo.Consistency;
using Geo.Consistency.Lattices;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>A cluster of one silo: puts the parts together at start and takes them apart at stop.</summary>
internal sealed class GeoSilo : IGeoSilo, ISiloAccess, ICallSender, IHostedService, IAsyncDisposable
{
    // What a part may take to end besides the waits that the options bound.
    private static readonly TimeSpan PartGrace = TimeSpan.FromSeconds(10);

    private readonly GeoEmbeddedBuilder _builder;
    private readonly IServiceProvider _services;
    private readonly ILoggerFactory _loggers;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly GrainFactory _factory;
    private readonly SiloSurroundings _around;
    private readonly Cancellations _cancellations;

    private readonly StopSteps _stop;
    private GeoEmbeddedOptions? _options;
    private GrainClasses? _classes;
    private Deadlines? _deadlines;
    private ActivationTable? _activations;
    private ReadReplicas? _readReplicas;
    private GlobalDirectory? _directory;
    private ConfigurationSource? _configuration;
    private MoveHistory? _moves;
    private ISiloVersions? _silos;
    private InstanceDirectories? _directories;
    private IGeoAdministration? _administration;
    private HomeKeeper? _homes;
    private GrainStores? _stores;
    private CallRouter? _router;
    private SiloLinks? _links;
    private SiloNeighbours? _neighbours;
    private SiblingCalls? _siblings;
    private IClusterMessenger? _messenger;
    private ReplicaExchange? _replicas;
    private SiloSnapshot? _snapshot;

    public GeoSilo(GeoEmbeddedBuilder builder, IServiceProvider services, ILoggerFactory loggers)
    {
        _builder = builder;
        _services = services;
        _loggers = loggers;
        _logger = loggers.CreateLogger("Geo.Embedded");
        _time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        _around = SiloSurroundings.Of(services);
        _cancellations = new Cancellations(_around);
        _stop = new StopSteps(
            _time, (e, part) => RuntimeLog.StopFailed(_logger, e, part), _around.KeepsContext ? _around.EndHere : null);
        _factory = new GrainFactory(this, (i, prefix) => Classes.Resolve(i.Name, prefix).TypeName);
        Serializer = new JsonGeoSerializer(builder.Wire.JsonOptions, ReadReference);
    }

    public ClusterId Cluster { get; private set; }

    public PeerAddress? ListeningOn { get; private set; }

    public PeerAddress? GatewayOn { get; private set; }

    public IGeoAdministration Administration => _administration ?? throw NotStarted();

    public IGeoConfiguration? Configuration => _configuration?.Administration;

    public MoveHistory Moves => _moves ?? throw NotStarted();

    public Journal<ConfigurationStep> ConfigurationSteps => (_configuration ?? throw NotStarted()).Steps;

    public IEnumerable<KeyValuePair<string, IKeptStore>> KeptStores => (_stores ?? throw NotStarted()).All
        .Where(store => store.Value is IKeptStore).Select(store => KeyValuePair.Create(store.Key, (IKeptStore)store.Value));

    public IClusterMessenger Messenger => _messenger ?? throw NotStarted();

    public IConditionalStore FindStore(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return (_stores ?? throw NotStarted()).Given(name);
    }

    public int ActivationCount => _activations?.Count ?? 0;

    /// <summary>References to the grains of this silo and of other clusters.</summary>
    public IGrainFactory Factory => _factory;

    /// <summary>The replicas of the coordination-free grains; null where no class is one, or before the start.</summary>
    public LatticeReplicas? Lattices { get; private set; }

    public IGeoSerializer Serializer { get; }

    public ExceptionTypes Exceptions => _builder.Wire.Exceptions;

    public Deadlines Deadlines => _deadlines ?? throw NotStarted();

    public TimeSpan RequestTimeout => _options!.RequestTimeout;

    public int MaxCallChain => _options!.MaxCallChain;

    public bool SharesMemory => true;

    public SiloSurroundings Around => _around;

    /// <summary>Takes what arrives from other processes; null until the silo has started.</summary>
    internal InboundCalls? Inbound { get; private set; }

    /// <summary>How long the end of one part is waited for: longer than any that heeds the options takes.</summary>
    private TimeSpan PartLimit => _options is { } options
        ? PartGrace + (3 * options.DeactivationTimeout) + (4 * options.TimeoutResolution)
        : PartGrace;

    private GrainClasses Classes => _classes ?? throw NotStarted();

    public bool IsLinkedTo(ClusterId cluster) => _messenger?.IsLinked(cluster) == true;

    public void Send(GrainCall call)
    {
        if (_router is { } router)
        {
            router.Route(call);
        }
        else
        {
            call.TryFail(NotStarted());
        }
    }

    public void OneWayFailed(GrainCall call, Exception exception) => RuntimeLog.OneWayFailed(_logger, exception, call);

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _around.Start(() => BuildAsync(cancellationToken)).ConfigureAwait(_around.KeepsContext);
        }
        catch
        {
            // What goes wrong here is logged: why the silo did not start matters more.
            await _stop.RunAsync(PartLimit).ConfigureAwait(_around.KeepsContext);
            throw;
        }

        RuntimeLog.Started(_logger, _activations!.Silo.Node, Cluster, Classes.All.Count, ListeningOn, GatewayOn);
    }

    public async Task StopAsync(CancellationToken cancellationToken) => await DisposeAsync().ConfigureAwait(_around.KeepsContext);

    /// <summary>Ends every part of the silo, in bounded time; what went wrong is logged, and thrown when all has had its turn.</summary>
    public async ValueTask DisposeAsync()
    {
        var failures = await _stop.RunAsync(PartLimit).ConfigureAwait(_around.KeepsContext);
        if (failures.Count == 1)
        {
            ExceptionDispatchInfo.Throw(failures[0]);
        }
        else if (failures.Count > 1)
        {
            throw new AggregateException($"Several parts of the silo of cluster '{Cluster}' did not end as they should.", failures);
        }
    }

    private async Task BuildAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var options = _options = ReadOptions();
        Cluster = SettingsReading.Cluster(options.ClusterId, $"{GeoEmbeddedOptions.Section}:ClusterId");
        var classes = _classes = _builder.Grains.Metadata;
        var stores = _stores = CreateStores(options);
        foreach (var grainClass in classes.All)
        {
            stores.Check(grainClass);
            grainClass.CheckServices(_services);
            LiveClasses.Check(grainClass.Type, grainClass.Declaration, options.ConfigurationStore);
            HomeClasses.Check(
                grainClass.Type, grainClass.Declaration, options.Clusters.Keys.Append(options.ClusterId), options.ConfigurationStore);
        }

        var deadlines = _deadlines = new Deadlines(_time, options.TimeoutResolution);
        _stop.Add("time-outs", deadlines.Dispose);

        var links = _links = new SiloLinks(options, Cluster, _time, _loggers);
        _stop.Add("node of other clusters", links.LeaveClustersAsync);
        _stop.Add("messenger of other clusters", links.CloseMessengerAsync);
        _stop.Add("node of clients", links.LeaveClientsAsync);
        var given = _services.GetService<IClusterMessenger>();
        var agreement = await CompareStoresAsync(options, classes, stores, linked: given is null, cancellationToken)
            .ConfigureAwait(_around.KeepsContext);
        var messenger = _messenger = given
            ?? await links.StartClusterLinksAsync(agreement, cancellationToken).ConfigureAwait(_around.KeepsContext);
        ListeningOn = links.ListeningOn;
        if (classes.All.Any(c => c.Declaration.Protocol == ViewProtocol.VersionedLeader))
        {
            // Before it is a silo of its cluster, whose lease others would have to wait for.
            options.VersionedLeader.EnsureCarriedBy(messenger);
        }

        foreach (var store in stores.KeptTogether)
        {
            _stop.Add("part in a store of all clusters", store.Join(messenger).Dispose);
        }

        var context = await BuildContextAsync(options, classes, stores, messenger, deadlines, cancellationToken)
            .ConfigureAwait(_around.KeepsContext);
        var inbound = Inbound = new InboundCalls(classes, _router!, _cancellations, this, _around, _logger);
        var siblingCalls = _neighbours?.Siblings.Handle(SiblingCalls.Service, inbound.FromSiblingAsync);
        var clusterCalls = messenger.Handle(CallRouter.Service, inbound.FromClusterAsync);
        var clusterCancellations = messenger.Handle(Cancellations.Service, _cancellations.ReceiveAsync);
        _stop.Add("service for other clusters", () =>
        {
            clusterCalls.Dispose();
            clusterCancellations.Dispose();
            siblingCalls?.Dispose();
        });
        var activations = _activations = new ActivationTable(context);
        _stop.Add("activations", activations.DisposeAsync);
        if (classes.All.Any(c => c.Replica is not null))
        {
            var copies = new ActivationTable(context);
            _readReplicas = new ReadReplicas(copies, options.ReadReplicas);
            _stop.Add("read replicas", copies.DisposeAsync);
        }

        context.Directories.Global.Start();
        context.Directories.Quorum?.Start();
        _configuration!.Follow(
            context.Directories, _silos ?? new OnlySilo(context.Node), () => _links!.UseEntryPoints(_configuration));
        await links.EnsureFitsAsync(cancellationToken).ConfigureAwait(_around.KeepsContext);
        _router!.Open();
        _homes?.Start(context.Directories);
        if (_around.HasNetwork)
        {
            GatewayOn = await links.StartGatewayAsync(CallRouter.Service, inbound.FromClientAsync, cancellationToken)
                .ConfigureAwait(_around.KeepsContext);
            _stop.Add("gateway", links.CloseGatewayAsync);
        }

        var status = _services.GetRequiredService<StatusReader>();
        status.Begin(_snapshot!.Read, () => stores.All, _time);
        _stop.Add("status", status.End);
    }

    /// <summary>
    /// What this silo and those of other clusters tell each other of their stores where they are linked by their handshakes.
    /// </summary>
    private async Task<ClusterAgreement> CompareStoresAsync(
        GeoEmbeddedOptions options, GrainClasses classes, GrainStores stores, bool linked, CancellationToken cancellationToken)
    {
        ClusterId[] named =
            [.. options.Clusters.Keys.Select(name => SettingsReading.Cluster(name, $"{GeoEmbeddedOptions.Section}:Clusters"))];
        var configuration = options.ConfigurationStore is { } name ? stores.Given(name) : null;
        var agreement = new ClusterAgreement(Cluster, configuration is null ? named : null);
        if (configuration is not null || named.Any(other => other != Cluster))
        {
            var compared = new ComparedStores
            {
                // The rows are in this process, where no other cluster finds them.
                Shared = stores.Shared(classes.All, options.AllowUnsharedStores),
                AllowUnshared = options.AllowUnsharedStores,
                Configuration = configuration,
                Owners = stores.SharedOwners(classes.All, options.Quorum.Store),
                SingleInstances = classes.All.Where(c => c.Declaration.Instancing == Instancing.GlobalSingle)
                    .ToDictionary(c => c.TypeName, c => c.Declaration.IsOwnedByQuorum),
                CoordinationFree = classes.All.Where(c => c.Lattice is not null)
                    .ToDictionary(c => c.TypeName, c => c.Declaration.Replicas > 0),
                Confirmations = classes.All.Where(c => c.Declaration.Protocol == ViewProtocol.VersionedLeader)
                    .ToDictionary(c => c.TypeName, c => c.Declaration.Confirmation),
            };
            if (linked)
            {
                agreement.Stores = await compared
                    .IdentifyAsync(_time, _around.Random, options.StoreCheckTimeout, cancellationToken)
                    .ConfigureAwait(_around.KeepsContext);
            }
        }

        return agreement;
    }

    private async Task<SiloContext> BuildContextAsync(
        GeoEmbeddedOptions options, GrainClasses classes, GrainStores stores, IClusterMessenger links, Deadlines deadlines,
        CancellationToken cancellationToken)
    {
        var neighbours = _neighbours = _around.Neighbours(Cluster);
        var node = neighbours?.Membership.Local ?? $"{Cluster}/{_around.NewIncarnation()}";
        var rows = _around.Rows(Cluster);
        var configuration = _configuration = new ConfigurationSource(
            Cluster, options.Clusters, options.Directory, options.ConfigurationStore is { } name ? stores.Find(name) : null, rows,
            address => PeerAddress.Parse(address), _time, _around.Random, _logger,
            cluster => StoreMajority.Needs(stores.KeptTogether, cluster, links));
        await configuration.LoadAsync(options.StoreCheckTimeout, cancellationToken).ConfigureAwait(_around.KeepsContext);
        _links!.UseEntryPoints(configuration);
        if (configuration.IsLive)
        {
            // This process keeps no row while it does not run, so that others alone know whether the store was set back meanwhile.
            await _links.EnsureFitsAsync(cancellationToken).ConfigureAwait(_around.KeepsContext);
            await configuration.CompareAsync(links, cancellationToken).ConfigureAwait(_around.KeepsContext);
        }

        var instances = new LocalInstances(node, () => _activations!, _logger);
        var (cluster, messenger) = neighbours is null ? (null, links)
            : await JoinAsync(neighbours, configuration, rows, instances, links, options.RequestTimeout, cancellationToken)
                .ConfigureAwait(_around.KeepsContext);
        var reach = new ClusterReach(messenger, configuration.Present.Others(Cluster), _time);
        _stop.Add("watch over the links", reach.Dispose);
        _siblings = cluster is null ? null : new SiblingCalls(neighbours!, cluster);
        var router = _router = new CallRouter(
            classes, () => _activations!, () => _readReplicas!, () => _directories!, messenger, reach, _cancellations, deadlines, _around,
            _siblings, () => Lattices, options, _logger);
        _stop.Add("routing of calls", router.Close);

        var directory = _directory = new GlobalDirectory(
            options.Directory with { Channel = options.Directory.Channel ?? ReplicaExchange.RequestChannel },
            messenger, rows, configuration.Present, cluster?.Instances ?? instances, _time, _around.Random,
            _loggers.CreateLogger<GlobalDirectory>())
        {
            Serves = key => Serves(classes, key, byMajority: false),
        };
        _stop.Add("directory", directory.DisposeAsync);
        _stop.Add("configuration", configuration.DisposeAsync);
        var quorum = MakeQuorum(classes, stores, messenger, cluster, instances, directory, options);
        var directories = _directories = new InstanceDirectories(directory, quorum);
        _administration = directories.AdministrationBy(key => Serves(classes, key, byMajority: true));
        var registration = cluster?.Register(directories);
        _moves = cluster?.Moves ?? new MoveHistory(directory.Moves);
        var replicas = MakeReplicas(neighbours, cluster, messenger, directory, options);
        if (classes.All.Any(c => c.Declaration.Home is not null))
        {
            _homes = new HomeKeeper(
                messenger, () => directory.Configuration, () => Administration, options.Directory, directory.Metrics, _time, _logger);
            _stop.Add("homes of grains", _homes.DisposeAsync);
        }

        Lattices = SiloLattices.Start(
            classes, neighbours, new(messenger, () => directory.Configuration.Clusters, _time, _around, _logger, stores.Find, options),
            _stop);
        _snapshot = new SiloSnapshot(node, reach, directory, cluster, Lattices, _links!.Node);

        return new SiloContext(
            options, Cluster, node, _time, _around, _services, Serializer, stores,
            new ViewServices(Serializer, stores.Find, _time, _around.Random, _loggers)
            {
                BatchedCas = options.BatchedCas,
                VersionedLeader = options.VersionedLeader,
            },
            replicas, directories, _factory, _factory.Reference, _logger)
        {
            Calls = this,
            Leave = key => _activations!.Leave(key),
            Deadlines = deadlines,
            Router = router,
            Guard = cluster?.Guard,
            Registration = registration,
            Homes = _homes,
            Lattices = Lattices,
        };
    }

    private static bool Serves(GrainClasses classes, GrainKey key, bool byMajority) => classes.All.Any(c => c.TypeName == key.Type
        && c.Declaration.Instancing == Instancing.GlobalSingle && c.Declaration.IsOwnedByQuorum == byMajority);

    /// <summary>The directory of the grains of the mode Quorum; null where no class has it.</summary>
    /// <exception cref="GeoConfigurationException">There is no store for who owns them.</exception>
    private QuorumDirectory? MakeQuorum(
        GrainClasses classes, GrainStores stores, IClusterMessenger messenger, ClusterSilo? cluster, LocalInstances instances,
        GlobalDirectory directory, GeoEmbeddedOptions options)
    {
        if (classes.All.FirstOrDefault(c => c.Declaration.IsOwnedByQuorum) is not { } first)
        {
            return null;
        }

        var store = stores.OfOwners(first.Type, options.Quorum.Store);
        var quorum = new QuorumDirectory(
            options.Quorum, options.Directory, messenger, store,
            new(instances.Node, node => cluster?.Liveness.MayBeCalled(node) == true)
            {
                Clusters = () => directory.Configuration,
                Siblings = _neighbours?.Siblings,
                Serves = key => Serves(classes, key, byMajority: true),
            },
            instances, directory.Metrics, directory.Moves, _time, _around.Random, _logger);
        _stop.Add("directory by majority", quorum.LeaveAsync);
        return quorum;
    }

    /// <summary>Takes this silo's lease among the silos of its cluster; the way to other clusters may lead over them.</summary>
    private async Task<(ClusterSilo Cluster, IClusterMessenger Messenger)> JoinAsync(
        SiloNeighbours neighbours, ConfigurationSource configuration, IConditionalStore rows, LocalInstances instances,
        IClusterMessenger links,
        TimeSpan timeout, CancellationToken cancellationToken)
    {
        var relay = new SiblingRelay(links, neighbours.Membership, neighbours.Siblings, timeout, _time);
        _stop.Add("relaying for siblings", relay.Dispose);
        var options = neighbours.Options with
        {
            Clusters = [.. configuration.Present.Clusters.Select(c => c.Name)],
            IsLive = configuration.IsLive,
        };
        var cluster = new ClusterSilo(options, rows, neighbours.Membership, neighbours.Siblings, instances, _time, _logger);
        cluster.Fenced += () => _services.GetService<IHostApplicationLifetime>()?.StopApplication();
        _stop.Add("membership of its cluster", cluster.DisposeAsync);
        _stop.Add("lease", () => new(cluster.LeaveAsync(CancellationToken.None)));
        _silos = cluster.Versions;
        await cluster.StartAsync(cancellationToken, configuration.Confirm).ConfigureAwait(_around.KeepsContext);
        return (cluster, relay);
    }

    private ReplicaExchange MakeReplicas(
        SiloNeighbours? neighbours, ClusterSilo? cluster, IClusterMessenger messenger, GlobalDirectory directory,
        GeoEmbeddedOptions options)
    {
        var relay = neighbours is null ? null : new ReplicaRelay(
            messenger, neighbours.Membership, neighbours.Siblings, () => directory.Configuration.Clusters, ActivateForReplicaAsync,
            node => cluster!.Liveness.StateOf(node) == NodeState.Gone, _logger, _time, _around.Random, options.Replicas,
            options.VersionedLeader);
        var exchange = relay?.Exchange ?? new ReplicaExchange(
            messenger, () => directory.Configuration.Clusters, ActivateForReplicaAsync, _time, _around.Random, options.Replicas,
            options.VersionedLeader);
        _replicas = exchange;
        exchange.Memories.Logger = _logger;
        if (cluster is not null)
        {
            exchange.Memories.MayServe = () => cluster.Guard.MayServe;
        }

        _stop.Add("versions shared with other instances", async () =>
        {
            await (relay?.HandOverAsync() ?? exchange.HandOverAsync()).ConfigureAwait(_around.KeepsContext);
            exchange.Dispose();
            relay?.Dispose();
        });
        return exchange;
    }

    private GeoEmbeddedOptions ReadOptions()
    {
        GeoEmbeddedOptions options;
        try
        {
            options = _services.GetRequiredService<IOptions<GeoEmbeddedOptions>>().Value;
        }
        catch (Exception e) when (e is InvalidOperationException or OptionsValidationException)
        {
            throw new GeoConfigurationException($"The settings in '{GeoEmbeddedOptions.Section}' cannot be read: {e.Message}", e);
        }

        SettingsReading.Validate(options);
        return options;
    }

    private GrainStores CreateStores(GeoEmbeddedOptions options)
    {
        var memory = new InMemoryConditionalStore();
        var stores = new Dictionary<string, IConditionalStore>(StringComparer.Ordinal)
        {
            [GeoStorage.Default] = _around.Store(GeoStorage.Default, Cluster, () => memory),
        };
        foreach (var (name, create) in _builder.Stores)
        {
            var store = _around.Store(name, Cluster, () => create(_services)
                ?? throw new GeoConfigurationException($"The factory of the store '{name}' made none; return a store."));
            stores[name] = store;
            _stop.Add($"store '{name}'", async () =>
            {
                if (store is IAsyncDisposable asynchronous)
                {
                    await asynchronous.DisposeAsync().ConfigureAwait(_around.KeepsContext);
                }
                else
                {
                    (store as IDisposable)?.Dispose();
                }
            });
        }

        return new GrainStores(stores, memory, options, _time, _logger);
    }

    /// <summary>Another cluster's instance asks for the one here: the leader of a volatile grain.</summary>
    private async ValueTask<bool> ActivateForReplicaAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var grainClass = Classes.Find(key.Type);
        return grainClass.Declaration.Instancing == Instancing.OnePerCluster
            && _siblings?.IsElsewhere(_siblings.HomeOf(key)) != true
            && await _around.EndHere(_activations!.GetOrBegin(key, grainClass).Activated).WaitAsync(cancellationToken)
                .ConfigureAwait(_around.KeepsContext);
    }

    private object ReadReference(Type interfaceType, GrainKey key) =>
        _factory.Reference(interfaceType, new GrainKey(Classes.Find(key.Type).TypeName, key.Key));

    /// <summary>Whether the silo may serve single-instance grains; null where it need not ask.</summary>
    internal ILeaseGuard? Guard => _activations?.Silo.Guard;

    /// <summary>True of another silo of the cluster that this one takes for fenced off.</summary>
    internal bool TakesForGone(string node) => _siblings?.IsGone(node) == true;

    /// <summary>The epoch of an instance here, and whether it may serve; null where there is none that has its row.</summary>
    internal (long Epoch, bool MayServe)? TenancyOf(GrainKey key) =>
        _activations?.TryGet(key, out var activation) == true && activation.Tenancy is not 0 and var epoch
            ? (epoch, activation.Guard is not { MayServe: false })
            : null;

    /// <summary>The process is gone, as a simulation lets it go: gives back what would outlive it in this one.</summary>
    internal void Abandon() => _directory?.Abandon();

    /// <summary>What volatile grains remember on this silo; null before it has begun to start.</summary>
    internal ReplicaMemories? Memories => _replicas?.Memories;

    /// <summary>How many calls run here that another cluster can cancel.</summary>
    internal int CancellableCalls => _cancellations.Count;

    /// <summary>True when one of them was cancelled and has not ended yet.</summary>
    internal bool IsAnyCancelled => _cancellations.IsAnyCancelled;

    /// <summary>Dials another cluster that was not reachable by the settings.</summary>
    internal void Dial(PeerAddress address) => _links!.Dial(address);

    private static GeoUnavailableException NotStarted() =>
        new("The silo of this process has not started; start the host before calling grains.");
}
