using System.Diagnostics.CodeAnalysis;
using Geo.Consistency;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>
/// The network side of a silo: a node for the links between clusters and another for the gateway, so that a client can never reach what
/// only silos may ask.
/// </summary>
[SuppressMessage(
    "Reliability", "CA1001", Justification = "Each part is ended as a step of its own, so that none keeps another from its end.")]
internal sealed class SiloLinks(GeoEmbeddedOptions options, ClusterId cluster, TimeProvider time, ILoggerFactory loggers)
{
    // What calls carry holds up neither rounds nor requests between replicas, and large arguments have lanes of their own.
    private static readonly ChannelOptions Calls = new();

    private static readonly IReadOnlyList<ChannelOptions> Channels =
    [
        new() { Name = ReplicaExchange.RequestChannel, Parallelism = 1, Priority = 1 },
        new() { Name = ReplicaExchange.NotificationChannel, Parallelism = 1, Monotonic = true },
    ];

    private MessagingNode? _node;
    private MessagingNode? _gateway;
    private ClusterMessenger? _messenger;
    private IDisposable? _gatewayHandler;

    /// <summary>Where other clusters reach this one.</summary>
    public PeerAddress? ListeningOn => _node?.ListeningOn;

    /// <summary>The node of these links; null before the start, and where the application has a messenger of its own.</summary>
    public MessagingNode? Node => _node;

    /// <summary>Dials another cluster.</summary>
    public void Dial(PeerAddress address) => _node!.Connect(address);

    /// <summary>Listens for, and dials, the other clusters.</summary>
    /// <param name="facts">What is told to them.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoConfigurationException">An address cannot be used.</exception>
    public async ValueTask<IClusterMessenger> StartClusterLinksAsync(IPeerFacts facts, CancellationToken cancellationToken)
    {
        var entryPoints = options.Clusters.ToDictionary(
            c => SettingsReading.Cluster(c.Key, $"{GeoEmbeddedOptions.Section}:Clusters"),
            IReadOnlyList<PeerAddress> (c) =>
                [.. c.Value.Select(a => SettingsReading.Address(a, $"{GeoEmbeddedOptions.Section}:Clusters:{c.Key}")!)]);
        _node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId($"{cluster}/silo"),
                Cluster = cluster,
                ListenOn = SettingsReading.Address(options.ListenOn, $"{GeoEmbeddedOptions.Section}:ListenOn"),
                Tls = options.Tls,
                AllowInsecure = options.AllowInsecure,
                RequestTimeout = options.RequestTimeout,
                DeadLinkAfter = options.DeadLinkAfter,
                HeartbeatInterval = options.DeadLinkAfter / 6,
                DefaultChannel = Calls,
                Channels = Channels,
                Facts = facts,
            },
            time,
            loggers);
        await _node.StartAsync(cancellationToken).ConfigureAwait(false);
        _messenger = new ClusterMessenger(_node, entryPoints);
        return _messenger;
    }

    /// <summary>Dials the clusters where the configuration says from now on.</summary>
    public void UseEntryPoints(ConfigurationSource configuration)
    {
        if (configuration.IsLive)
        {
            _messenger?.UseEntryPoints(configuration.EntryPoints.ToDictionary(
                c => c.Key, IReadOnlyList<PeerAddress> (c) => [.. c.Value.Select(PeerAddress.Parse)]));
        }
    }

    /// <summary>Waits until the clusters that are up have answered.</summary>
    /// <exception cref="GeoConfigurationException">They do not fit this one.</exception>
    public Task EnsureFitsAsync(CancellationToken cancellationToken) =>
        _messenger?.EnsureFitsAsync(options.StartLinkTimeout, cancellationToken) ?? Task.CompletedTask;

    /// <summary>Listens for clients, if it is asked for.</summary>
    /// <exception cref="GeoConfigurationException">The address cannot be used.</exception>
    public async ValueTask<PeerAddress?> StartGatewayAsync(string service, PeerMessageHandler handler, CancellationToken cancellationToken)
    {
        if (SettingsReading.Address(options.Gateway, $"{GeoEmbeddedOptions.Section}:Gateway") is not { } address)
        {
            return null;
        }

        _gateway = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId($"{cluster}/gateway"),
                Cluster = cluster,
                ClusterInstance = $"{cluster}/silo",
                ListenOn = address,
                Tls = options.Tls,
                AllowInsecure = options.AllowInsecure,
                RequestTimeout = options.RequestTimeout,
            },
            time,
            loggers);
        _gatewayHandler = _gateway.Handle(service, handler);
        await _gateway.StartAsync(cancellationToken).ConfigureAwait(false);
        return _gateway.ListeningOn;
    }

    /// <summary>Takes no more calls of clients; those under way may still be answered.</summary>
    public ValueTask CloseGatewayAsync()
    {
        _gatewayHandler?.Dispose();
        return default;
    }

    /// <summary>Leaves the clients, once what was answered is sent.</summary>
    public ValueTask LeaveClientsAsync() => LeaveAsync(_gateway);

    /// <summary>Sends and takes no more messages of other clusters.</summary>
    public ValueTask CloseMessengerAsync() => _messenger?.DisposeAsync() ?? default;

    /// <summary>Leaves the other clusters, once what was sent is on its way.</summary>
    public ValueTask LeaveClustersAsync() => LeaveAsync(_node);

    private async ValueTask LeaveAsync(MessagingNode? node)
    {
        if (node is null)
        {
            return;
        }

        using var patience = new CancellationTokenSource(options.DeactivationTimeout, time);
        try
        {
            await node.LeaveAsync(patience.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The queues did not empty in time; disposal drops what is left, as documented there.
        }

        await node.DisposeAsync().ConfigureAwait(false);
    }
}
