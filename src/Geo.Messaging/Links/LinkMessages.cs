using System.Runtime.CompilerServices;

namespace Geo.Messaging;

/// <summary>
/// Sends on the links of a node: chooses the lane, counts what is certainly not sent and traces requests. A link is null for none.
/// </summary>
internal sealed class LinkMessages(NodeContext node)
{
    private readonly PeerId _local = node.Options.Peer;
    private readonly PartitionKey _ownKey = PartitionKey.From(node.Options.Peer.Name);

    /// <summary>As <see cref="MessagingNode.TrySend"/>.</summary>
    public SendOutcome TrySend(PeerId to, PeerLink? link, string service, ReadOnlyMemory<byte> payload, MessageOptions options)
    {
        ServiceHandlers.CheckName(service);
        return LaneOf(to, link, options, out var key) is { } lane
            ? Counted(lane.Sender.TrySend(service, payload.Span, key), lane)
            : SendOutcome.NotConnected;
    }

    /// <summary>As <see cref="MessagingNode.SendAsync"/>.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<SendOutcome> SendAsync(
        PeerId to, PeerLink? link, string service, ReadOnlyMemory<byte> payload, MessageOptions options,
        CancellationToken cancellationToken)
    {
        ServiceHandlers.CheckName(service);
        cancellationToken.ThrowIfCancellationRequested();
        return LaneOf(to, link, options, out var key) is { } lane
            ? Counted(await lane.Sender.SendAsync(service, payload, key, cancellationToken), lane)
            : SendOutcome.NotConnected;
    }

    /// <summary>As <see cref="MessagingNode.RequestAsync"/>.</summary>
    public ValueTask<ClusterReply> RequestAsync(
        PeerId to, PeerLink? link, string service, ReadOnlyMemory<byte> payload, MessageOptions options,
        CancellationToken cancellationToken)
    {
        ServiceHandlers.CheckName(service);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(options.Timeout ?? node.Options.RequestTimeout, TimeSpan.Zero);
        return cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<ClusterReply>(cancellationToken)
            : MessagingTraces.AreListenedTo ? TracedRequestAsync(to, link, service, payload, options, cancellationToken)
            : StartRequest(to, link, service, payload, options, cancellationToken);
    }

    public void CountUnreachable(ClusterId to) => node.Metrics.Unreachable(MessagingTags.Of(to));

    private ValueTask<ClusterReply> StartRequest(
        PeerId to, PeerLink? link, string service, ReadOnlyMemory<byte> payload, MessageOptions options,
        CancellationToken cancellationToken)
    {
        var timeout = LongestWait.Clamp(options.Timeout ?? node.Options.RequestTimeout);
        return LaneOf(to, link, options, out var key) is { } lane
            ? lane.Requests.RequestAsync(service, payload, key, timeout, cancellationToken)
            : new(ClusterReply.Refused($"{_local} has no link to {to}"));
    }

    private async ValueTask<ClusterReply> TracedRequestAsync(
        PeerId to, PeerLink? link, string service, ReadOnlyMemory<byte> payload, MessageOptions options,
        CancellationToken cancellationToken)
    {
        using var span = MessagingTraces.StartRequest(service, _local, to, options);
        try
        {
            var reply = await StartRequest(to, link, service, payload, options, cancellationToken);
            MessagingTraces.EndRequest(span, reply.Outcome.ToString(), reply.Reason);
            return reply;
        }
        catch (OperationCanceledException)
        {
            MessagingTraces.EndRequest(span, "Canceled", "the requester gave up");
            throw;
        }
    }

    // Null, which is counted, where there is no link.
    private Lane? LaneOf(PeerId to, PeerLink? link, MessageOptions options, out PartitionKey key)
    {
        var channel = node.Channels.Find(options.Channel);

        // Without a key nothing goes in order, but what replaces the message before it has to know which one that is.
        key = options.PartitionKey
            ?? (node.Channels.All[channel].Monotonic ? _ownKey : PartitionKey.From(Random.Shared.NextInt64()));
        if (link is null)
        {
            node.Metrics.Unreachable(MessagingTags.Remote(to));
        }

        return link?.LaneFor(channel, key);
    }

    private SendOutcome Counted(SendOutcome outcome, Lane lane)
    {
        if (outcome != SendOutcome.Queued)
        {
            node.Metrics.Dropped(outcome.ToString(), lane.Remote, lane.Id);
        }

        return outcome;
    }
}
