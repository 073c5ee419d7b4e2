using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using MessagingOptions = Geo.Messaging.MessagingOptions;

namespace Geo.Orleans;

/// <summary>Geo on one silo: its links to other clusters and its directory, started and stopped with the silo.</summary>
internal sealed class GeoSilo(
    GeoSiloBuilder builder, IOptions<GeoOrleansOptions> options, IServiceProvider services, ILocalSiloDetails details, TimeProvider time,
    ILoggerFactory loggers) : IGeoSilo, ILifecycleParticipant<ISiloLifecycle>, IAsyncDisposable
{
    private readonly ILogger _logger = loggers.CreateLogger<GeoSilo>();
    private MessagingNode? _node;
    private ClusterMessenger? _links;
    private IClusterMessenger? _messenger;
    private GlobalDirectory? _directory;
    private ReplicaRelay? _replicas;
    private IDisposable? _calls;
    private readonly CancellationTokenSource _stopping = new();
    private Task _renewing = Task.CompletedTask;
    private Task _refreshing = Task.CompletedTask;
    private bool _disposed;

    /// <summary>The way to the other clusters.</summary>
    public IClusterMessenger Messenger => _messenger ?? throw NotStarted();

    /// <summary>The directory of single-instance grains.</summary>
    public GlobalDirectory Directory => _directory ?? throw NotStarted();

    /// <summary>The instances of journaled grains in this cluster, and the way to those in others.</summary>
    public ReplicaRelay Replicas => _replicas ?? throw NotStarted();

    public ClusterId Cluster => new(options.Value.ClusterId);

    public PeerAddress? ListeningOn => _node?.ListeningOn;

    public bool IsLinkedTo(ClusterId cluster) => _node?.Members.Any(member => member.Cluster == cluster) == true;

    public void Participate(ISiloLifecycle lifecycle)
    {
        // Before any grain can activate, and until all have ended.
        lifecycle.Subscribe(nameof(GeoSilo), ServiceLifecycleStage.AfterRuntimeGrainServices, StartAsync, StopAsync);

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
        _calls?.Dispose();
        _replicas?.Dispose();
        await _stopping.CancelAsync();
        await Task.WhenAll(_renewing, _refreshing);
        if (_directory is not null)
        {
            await _directory.DisposeAsync();
        }

        if (_links is not null)
        {
            await _links.DisposeAsync();
        }

        if (_node is not null)
        {
            await _node.DisposeAsync();
        }

        _stopping.Dispose();
    }

    private async Task StartAsync(CancellationToken cancellationToken)
    {
        var local = new ClusterId(options.Value.ClusterId);
        _messenger = services.GetService<IClusterMessenger>() ?? await LinkAsync(local, cancellationToken);
        await HoldLeaseAsync(cancellationToken);
        _directory = new GlobalDirectory(
            builder.Directory with { Channel = builder.Directory.Channel ?? LinkChannels.Control }, _messenger, services.GetRequiredService<GeoStores>().Rows,
            new MultiClusterConfiguration(1, [local, .. Others(local)]),
            services.GetRequiredService<ClusterInstances>(), time, new Random(), loggers.CreateLogger<GlobalDirectory>());
        _directory.Start();
        _replicas = new ReplicaRelay(
            _messenger, () => _directory.Configuration.Clusters, services.GetRequiredService<IGrainFactory>(),
            services.GetRequiredService<SiloLiveness>(), details, services.GetRequiredService<GeoSiloServiceClient>(),
            loggers.CreateLogger<ReplicaRelay>());
        _logger.GeoStarted(local, string.Join(", ", _directory.Configuration.Clusters), ListeningOn?.ToString() ?? "none");
    }

    private async Task HoldLeaseAsync(CancellationToken cancellationToken)
    {
        var lease = services.GetRequiredService<SiloLease>();
        await lease.RenewAsync(cancellationToken);
        if (!lease.IsHeld)
        {
            throw new GeoUnavailableException("The silo cannot start: the store of the directory's rows does not answer, so it has no lease.");
        }

        _renewing = lease.RenewUntilAsync(_stopping.Token);
    }

    private IEnumerable<ClusterId> Others(ClusterId local) =>
        options.Value.Clusters.Keys.Select(name => new ClusterId(name)).Where(cluster => cluster != local);

    private async Task<IClusterMessenger> LinkAsync(ClusterId local, CancellationToken cancellationToken)
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
                Channels = LinkChannels.All,
            },
            time, loggers);
        await _node.StartAsync(cancellationToken);
        services.GetRequiredService<ClusterReach>().Watch(_node, Others(local));
        var entryPoints = services.GetRequiredService<EntryPoints>();
        _links = new ClusterMessenger(_node, await entryPoints.FindAsync(cancellationToken));
        _refreshing = entryPoints.KeepFreshAsync(_links, _stopping.Token);
        return _links;
    }

    private Task ReceiveCalls()
    {
        _calls = Messenger.Handle(CallReceiver.Service, services.GetRequiredService<CallReceiver>().HandleAsync);
        return Task.CompletedTask;
    }

    private Task RefuseCalls()
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

        if (_directory is not null)
        {
            await _directory.DisposeAsync();
        }

        await _stopping.CancelAsync();
        await _renewing;
        await services.GetRequiredService<SiloLease>().LeaveAsync(cancellationToken);
        if (_node is not null)
        {
            await _node.LeaveAsync(cancellationToken);
        }

        await DisposeAsync();
    }

    private static InvalidOperationException NotStarted() => new("Geo is not started on this silo yet; grains can be called once the silo is active.");
}
