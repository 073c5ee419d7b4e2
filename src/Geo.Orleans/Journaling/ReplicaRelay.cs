using Geo.Consistency;
using Microsoft.Extensions.Logging;

namespace Geo.Orleans;

/// <summary>
/// Brings messages between instances of a grain to the silo that has the instance: they arrive at any silo of the cluster, and the silos
/// pass them on to each other. Notifications for sleeping grains end there; they wake nobody.
/// </summary>
internal sealed class ReplicaRelay : IClusterMessenger, IDisposable
{
    private readonly IClusterMessenger _messenger;
    private readonly SiloLiveness _liveness;
    private readonly ILocalSiloDetails _details;
    private readonly GeoSiloServiceClient _silos;
    private readonly ILogger _logger;
    private ClusterMessageHandler? _local;

    public ReplicaRelay(
        IClusterMessenger messenger, Func<IReadOnlyList<ClusterId>> clusters, IGrainFactory grains, SiloLiveness liveness,
        ILocalSiloDetails details, GeoSiloServiceClient silos, ILogger<ReplicaRelay> logger)
    {
        (_messenger, _liveness, _details, _silos, _logger) = (messenger, liveness, details, silos, logger);
        Exchange = new ReplicaExchange(this, clusters, async (key, cancellationToken) =>
        {
            await grains.GetGrain(GrainNames.ToGrainId(key)).AsReference<IGeoTouch>().TouchAsync().WaitAsync(cancellationToken);
            return true;
        });
    }

    /// <summary>The exchange of this silo.</summary>
    public ReplicaExchange Exchange { get; }

    public ClusterId LocalCluster => _messenger.LocalCluster;

    public event Action<ClusterId>? LinkUp
    {
        add => _messenger.LinkUp += value;
        remove => _messenger.LinkUp -= value;
    }

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default) =>
        _messenger.RequestAsync(to, service, payload, options, cancellationToken);

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        _messenger.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        _local = handler;
        return _messenger.Handle(service, ReceiveAsync);
    }

    /// <summary>A message that another silo of this cluster passes on.</summary>
    public ValueTask<ReadOnlyMemory<byte>> DeliverAsync(ClusterMessage message) => _local!(message, CancellationToken.None);

    public void Dispose() => Exchange.Dispose();

    private IEnumerable<SiloAddress> Neighbours => _liveness.Living.Where(silo => !silo.Equals(_details.SiloAddress));

    private async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        if (!message.ExpectsReply)
        {
            // The payload is the messenger's again once this handler has ended.
            byte[]? copy = null;
            foreach (var silo in Neighbours)
            {
                _silos.On(silo).NotifyReplicaAsync(message.From.Name, copy ??= message.Payload.ToArray()).Ignore();
            }

            return await _local!(message, cancellationToken);
        }

        var reply = await _local!(message, cancellationToken);
        foreach (var silo in Neighbours)
        {
            if (!ReplicaExchange.SaysNotActive(reply.Span))
            {
                break;
            }

            try
            {
                reply = await _silos.On(silo).AskReplicaAsync(message.From.Name, message.Payload.ToArray()).WaitAsync(cancellationToken);
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                // The instance may be on that silo: what the request did is not known.
                _logger.RelayFailed(silo, e);
                throw;
            }
        }

        return reply;
    }
}
