namespace Geo.Consistency;

/// <summary>The link of multi-instance grains over the cluster messenger.</summary>
internal sealed class ReplicaLink(ReplicaExchange exchange) : IReplicaLink
{
    /// <summary>The exchange, which keeps the memories of volatile grains.</summary>
    internal ReplicaExchange Exchange => exchange;

    public ClusterId Local => exchange.Messenger.LocalCluster;

    public IReadOnlyList<ClusterId> Others => exchange.Others;

    public void Notify(
        GrainKey grain, ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> digest = default, IReadOnlyCollection<ClusterId>? except = null)
    {
        var others = Others;
        if (others.Count == 0)
        {
            return;
        }

        if (!digest.IsEmpty)
        {
            exchange.Digest.Add(grain, digest.Span);
        }

        var message = ReplicaEnvelope.Write(grain, EnvelopeKind.Active, payload.Span);
        var partition = grain.ToPartitionKey();
        foreach (var other in others)
        {
            if (except?.Contains(other) == true)
            {
                continue;
            }

            var isSent = exchange.Messenger.TrySend(
                other, ReplicaExchange.Service, message, new(ReplicaExchange.NotificationChannel, partition));
            (isSent ? ConsistencyMetrics.NotificationsSent : ConsistencyMetrics.NotificationsUnsent).Add(1);
        }
    }

    public async ValueTask<ClusterReply> RequestAsync(
        GrainKey grain, ClusterId to, ReadOnlyMemory<byte> payload, bool activate, CancellationToken cancellationToken = default)
    {
        var reply = await exchange.Messenger.RequestAsync(
            to,
            ReplicaExchange.Service,
            ReplicaEnvelope.Write(grain, activate ? EnvelopeKind.Activate : EnvelopeKind.Active, payload.Span),
            new(ReplicaExchange.RequestChannel, grain.ToPartitionKey(), exchange.RequestTimeout),
            cancellationToken);
        return Read(to, grain, reply, activate);
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
