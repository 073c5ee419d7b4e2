namespace Geo.Consistency;

/// <summary>The link of one multi-instance grain over the cluster messenger.</summary>
internal sealed class ReplicaLink(
    IClusterMessenger messenger, Func<IReadOnlyList<ClusterId>> clusters, GrainKey key, TimeSpan requestTimeout, ReplicaExchange exchange)
    : IReplicaLink
{
    private readonly PartitionKey _partition = key.ToPartitionKey();
    private IReadOnlyList<ClusterId>? _configuration;
    private IReadOnlyList<ClusterId> _others = [];

    /// <summary>The exchange, which keeps the memories of volatile grains.</summary>
    internal ReplicaExchange Exchange => exchange;

    public ClusterId Local => messenger.LocalCluster;

    public IReadOnlyList<ClusterId> Others
    {
        get
        {
            // The configuration seldom changes, and when it does it is another list.
            var configuration = clusters();
            if (!ReferenceEquals(configuration, _configuration))
            {
                _others = [.. configuration.Where(c => c != Local)];
                _configuration = configuration;
            }

            return _others;
        }
    }

    public void Notify(ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> digest = default, IReadOnlyCollection<ClusterId>? except = null)
    {
        var others = Others;
        if (others.Count == 0)
        {
            return;
        }

        if (!digest.IsEmpty)
        {
            exchange.Digest.Add(key, digest.Span);
        }

        var message = ReplicaEnvelope.Write(key, EnvelopeKind.Active, payload.Span);
        foreach (var other in others)
        {
            if (except?.Contains(other) == true)
            {
                continue;
            }

            var isSent = messenger.TrySend(
                other, ReplicaExchange.Service, message, new(ReplicaExchange.NotificationChannel, _partition));
            (isSent ? ConsistencyMetrics.NotificationsSent : ConsistencyMetrics.NotificationsUnsent).Add(1);
        }
    }

    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, ReadOnlyMemory<byte> payload, bool activate, CancellationToken cancellationToken = default)
    {
        var reply = await messenger.RequestAsync(
            to,
            ReplicaExchange.Service,
            ReplicaEnvelope.Write(key, activate ? EnvelopeKind.Activate : EnvelopeKind.Active, payload.Span),
            new(ReplicaExchange.RequestChannel, _partition, requestTimeout),
            cancellationToken);
        return Read(to, key, reply, activate);
    }

    /// <summary>What the exchange of another cluster has answered.</summary>
    internal static ClusterReply Read(ClusterId to, GrainKey key, ClusterReply reply, bool mustBeThere)
    {
        if (reply.Outcome != ReplyOutcome.Replied)
        {
            return reply;
        }

        return reply.Payload.IsEmpty ? ClusterReply.Unknown($"cluster {to} answered with nothing")
            : (ExchangeReply)reply.Payload.Span[0] switch
            {
                ExchangeReply.Answered => ClusterReply.Replied(reply.Payload[1..]),
                ExchangeReply.Busy => ClusterReply.Refused($"cluster {to} has too many requests waiting for its grains"),
                ExchangeReply.NotActive when mustBeThere => ClusterReply.Refused($"cluster {to} could not activate {key}"),
                ExchangeReply.NotActive => ClusterReply.Replied(default),
                _ => ClusterReply.Unknown($"cluster {to} answered in a form that this version does not know"),
            };
    }
}
