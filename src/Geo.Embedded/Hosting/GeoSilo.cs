using Geo.Consistency;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>A cluster of one silo: puts the parts together at start and takes them apart at stop.</summary>
internal sealed class GeoSilo : IGeoSilo, ICallSender, IHostedService, IAsyncDisposable
{
    private readonly GeoEmbeddedBuilder _builder;
    private readonly IServiceProvider _services;
    private readonly ILoggerFactory _loggers;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly GrainFactory _factory;
    private readonly Cancellations _cancellations = new();

    // What was made, in the order to stop it: the newest first.
    private readonly Stack<Func<ValueTask>> _undo = new();
    private GeoEmbeddedOptions? _options;
    private GrainClasses? _classes;
    private Deadlines? _deadlines;
    private ActivationTable? _activations;
    private GlobalDirectory? _directory;
    private CallRouter? _router;
    private SiloLinks? _links;

    public GeoSilo(GeoEmbeddedBuilder builder, IServiceProvider services, ILoggerFactory loggers)
    {
        _builder = builder;
        _services = services;
        _loggers = loggers;
        _logger = loggers.CreateLogger("Geo.Embedded");
        _time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        _factory = new GrainFactory(this, (i, prefix) => Classes.Resolve(i.Name, prefix).TypeName);
        Serializer = new JsonGeoSerializer(builder.Wire.Json, new GrainReferenceConverter(ReadReference));
    }

    public ClusterId Cluster { get; private set; }

    public PeerAddress? ListeningOn { get; private set; }

    public PeerAddress? GatewayOn { get; private set; }

    public int ActivationCount => _activations?.Count ?? 0;

    /// <summary>References to the grains of this silo and of other clusters.</summary>
    public IGrainFactory Factory => _factory;

    public IGeoSerializer Serializer { get; }

    public ExceptionTypes Exceptions => _builder.Wire.Exceptions;

    public Deadlines Deadlines => _deadlines ?? throw NotStarted();

    public TimeSpan RequestTimeout => _options!.RequestTimeout;

    public int MaxCallChain => _options!.MaxCallChain;

    public bool SharesMemory => true;

    private GrainClasses Classes => _classes ?? throw NotStarted();

    public bool IsLinkedTo(ClusterId cluster) => _links?.IsLinkedTo(cluster) == true;

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
            // On the pool: what is started here keeps the scheduler it was started on.
            await Task.Run(() => BuildAsync(cancellationToken), cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await DisposeAsync().ConfigureAwait(false);
            throw;
        }

        RuntimeLog.Started(_logger, _activations!.Silo.Node, Cluster, Classes.All.Count, ListeningOn, GatewayOn);
    }

    public async Task StopAsync(CancellationToken cancellationToken) => await DisposeAsync().ConfigureAwait(false);

    public async ValueTask DisposeAsync()
    {
        while (_undo.TryPop(out var undo))
        {
            await undo().ConfigureAwait(false);
        }
    }

    private async Task BuildAsync(CancellationToken cancellationToken)
    {
        var options = _options = ReadOptions();
        Cluster = OptionsCheck.Cluster(options.ClusterId, $"{GeoEmbeddedOptions.Section}:ClusterId");
        var classes = _classes = new GrainClasses(_builder.Grains.Classes);
        var stores = CreateStores();
        foreach (var grainClass in classes.All)
        {
            stores.Check(grainClass);
            grainClass.CheckServices(_services);
        }

        var deadlines = _deadlines = new Deadlines(_time, options.TimeoutResolution);
        _undo.Push(() =>
        {
            deadlines.Dispose();
            return default;
        });

        var links = _links = new SiloLinks(options, Cluster, _time, _loggers);
        _undo.Push(links.DisposeAsync);
        var messenger = _services.GetService<IClusterMessenger>() ?? await links.StartClusterLinksAsync(cancellationToken).ConfigureAwait(false);
        ListeningOn = links.ListeningOn;

        var context = BuildContext(options, classes, stores, messenger, deadlines);
        var inbound = new InboundCalls(classes, _router!, _cancellations, this, _logger);
        var clusterCalls = messenger.Handle(CallRouter.Service, inbound.FromClusterAsync);
        var clusterCancellations = messenger.Handle(Cancellations.Service, _cancellations.ReceiveAsync);
        _undo.Push(() =>
        {
            clusterCalls.Dispose();
            clusterCancellations.Dispose();
            return default;
        });
        var activations = _activations = new ActivationTable(context);
        _undo.Push(activations.DisposeAsync);
        context.Directory.Start();
        _router!.Open();
        GatewayOn = await links.StartGatewayAsync(CallRouter.Service, inbound.FromClientAsync, cancellationToken).ConfigureAwait(false);
        _undo.Push(links.CloseGatewayAsync);
    }

    private SiloContext BuildContext(
        GeoEmbeddedOptions options, GrainClasses classes, GrainStores stores, IClusterMessenger messenger, Deadlines deadlines)
    {
        var configuration = new MultiClusterConfiguration(
            1, [Cluster, .. options.Clusters.Keys.Select(c => OptionsCheck.Cluster(c, $"{GeoEmbeddedOptions.Section}:Clusters")).Where(c => c != Cluster)]);
        var node = $"{Cluster}/{Guid.NewGuid():N}";
        var router = _router = new CallRouter(classes, () => _activations!, () => _directory!, messenger, _cancellations, deadlines, options);
        _undo.Push(() =>
        {
            router.Close();
            return default;
        });

        // The rows live as long as the activations that they are about: in this process.
        var directory = _directory = new GlobalDirectory(
            options.Directory with { Channel = options.Directory.Channel ?? ReplicaExchange.RequestChannel },
            messenger, new InMemoryConditionalStore(), configuration, new LocalInstances(node, () => _activations!, _logger),
            _time, Random.Shared, _loggers.CreateLogger<GlobalDirectory>());
        _undo.Push(directory.DisposeAsync);
        var replicas = new ReplicaExchange(messenger, () => configuration.Clusters, ActivateForReplicaAsync, options.Replicas);
        _undo.Push(() =>
        {
            replicas.Dispose();
            return default;
        });

        return new SiloContext(
            options, Cluster, node, _time, _services, Serializer, stores,
            new ViewServices(Serializer, stores.Find, _time, Random.Shared, _loggers)
            {
                BatchedCas = options.BatchedCas,
                VersionedLeader = options.VersionedLeader,
            },
            replicas, directory, _factory, _factory.Reference, _logger)
        {
            Router = router,
        };
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

        OptionsCheck.Validate(options, GeoEmbeddedOptions.Section);
        OptionsCheck.Validate(options.Directory, $"{GeoEmbeddedOptions.Section}:{nameof(options.Directory)}");
        OptionsCheck.Validate(options.BatchedCas, $"{GeoEmbeddedOptions.Section}:{nameof(options.BatchedCas)}");
        OptionsCheck.Validate(options.VersionedLeader, $"{GeoEmbeddedOptions.Section}:{nameof(options.VersionedLeader)}");
        OptionsCheck.Validate(options.Replicas, $"{GeoEmbeddedOptions.Section}:{nameof(options.Replicas)}");
        if (options.Tls is { } tls)
        {
            OptionsCheck.Validate(tls, $"{GeoEmbeddedOptions.Section}:{nameof(options.Tls)}");
        }

        return options;
    }

    private GrainStores CreateStores()
    {
        var stores = new Dictionary<string, IConditionalStore>(StringComparer.Ordinal) { [GeoStorage.Default] = new InMemoryConditionalStore() };
        foreach (var (name, create) in _builder.Stores)
        {
            var store = create(_services) ?? throw new GeoConfigurationException($"The factory of the store '{name}' made none; return a store.");
            stores[name] = store;
            _undo.Push(async () =>
            {
                if (store is IAsyncDisposable asynchronous)
                {
                    await asynchronous.DisposeAsync().ConfigureAwait(false);
                }
                else
                {
                    (store as IDisposable)?.Dispose();
                }
            });
        }

        return new GrainStores(stores);
    }

    /// <summary>Another cluster's instance asks for the one here: the leader of a volatile grain.</summary>
    private async ValueTask<bool> ActivateForReplicaAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var grainClass = Classes.Find(key.Type);
        return grainClass.Declaration.Instancing == Instancing.OnePerCluster
            && await _activations!.GetOrBegin(key, grainClass).Activated.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    private object ReadReference(Type interfaceType, GrainKey key) =>
        _factory.Reference(interfaceType, new GrainKey(Classes.Find(key.Type).TypeName, key.Key));

    /// <summary>How many calls run here that another cluster can cancel.</summary>
    internal int CancellableCalls => _cancellations.Count;

    /// <summary>True when one of them was cancelled and has not ended yet.</summary>
    internal bool IsAnyCancelled => _cancellations.IsAnyCancelled;

    /// <summary>Dials another cluster that was not reachable by the settings.</summary>
    internal void Dial(PeerAddress address) => _links!.Dial(address);

    private static GeoUnavailableException NotStarted() =>
        new("The silo of this process has not started; start the host before calling grains.");
}
