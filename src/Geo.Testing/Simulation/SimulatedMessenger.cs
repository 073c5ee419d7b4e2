namespace Geo.Testing;

/// <summary>One cluster's end of a <see cref="SimulatedNetwork"/>.</summary>
public sealed class SimulatedMessenger : IClusterMessenger
{
    private readonly SimulatedNetwork _network;
    private readonly Dictionary<string, ClusterMessageHandler> _handlers = new(StringComparer.Ordinal);

    internal SimulatedMessenger(SimulatedNetwork network, ClusterId cluster, SimulationLane lane) =>
        (_network, LocalCluster, Lane) = (network, cluster, lane);

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkUp;

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkDown;

    /// <inheritdoc/>
    public ClusterId LocalCluster { get; }

    internal SimulationLane Lane { get; }

    /// <inheritdoc/>
    public bool IsLinked(ClusterId cluster) => _network.IsLinked(LocalCluster, cluster);

    /// <inheritdoc/>
    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_network.OnPoint?.Invoke(service) == false)
        {
            return await new TaskCompletionSource<ClusterReply>().Task;
        }

        _network.Counts.Sent++;
        _network.OnSent?.Invoke(service);
        _network.Trace?.Detail($"requests {LocalCluster}>{to} {service}");
        if (!_network.Knows(to))
        {
            return Count(ClusterReply.Refused($"Cluster '{to}' is not known here."));
        }

        if (_network.IsCut(LocalCluster, to) && _network.Chance(_network.Options.RefusedWhenCut))
        {
            return Count(ClusterReply.Refused($"The link to cluster '{to}' is down."));
        }

        var ended = new TaskCompletionSource<ClusterReply>();
        var bytes = payload.ToArray();
        _network.Carry(LocalCluster, to, options.PartitionKey, service, () => Arrive(to, service, receiver =>
            _ = receiver.AnswerAsync(this, new ClusterMessage(LocalCluster, service, bytes, true), options, ended)));

        using var timeout = new CancellationTokenSource(options.Timeout ?? _network.Options.RequestTimeout, _network.Time);
        using var onTimeout = timeout.Token.Register(() => ended.TrySetResult(ClusterReply.Unknown($"No reply came from cluster '{to}' in time.")));
        using var onCancel = cancellationToken.Register(() => ended.TrySetCanceled(cancellationToken));
        return Count(await ended.Task);
    }

    /// <inheritdoc/>
    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
    {
        if (_network.OnPoint?.Invoke(service) == false)
        {
            return true;
        }

        _network.Counts.Sent++;
        _network.OnSent?.Invoke(service);
        _network.Trace?.Detail($"sends {LocalCluster}>{to} {service}");
        if (!_network.Knows(to) || (_network.IsCut(LocalCluster, to) && _network.Chance(_network.Options.RefusedWhenCut)))
        {
            return false;
        }

        var message = new ClusterMessage(LocalCluster, service, payload.ToArray(), false);
        var copies = _network.Chance(_network.Options.Duplication) ? 2 : 1;
        _network.Counts.Duplicated += copies - 1;
        for (var copy = 0; copy < copies; copy++)
        {
            if (_network.Chance(_network.Options.NoticeLoss))
            {
                _network.Counts.Lost++;
                continue;
            }

            // The second copy is of no key: it comes after later messages too, as one sent again over a new connection does.
            _network.Carry(LocalCluster, to, copy == 0 ? options.PartitionKey : null, service, () => Arrive(to, service, receiver =>
                _ = receiver.DeliverAsync(message)));
        }

        return true;
    }

    /// <inheritdoc/>
    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return _handlers.TryAdd(service, handler)
            ? new Registration(() => _handlers.Remove(service))
            : throw new InvalidOperationException($"Service '{service}' has a handler in cluster '{LocalCluster}' already.");
    }

    internal bool Serves(string service) => _handlers.ContainsKey(service);

    internal void RaiseLinkUp(ClusterId other) => Lane.Post(() => LinkUp?.Invoke(other));

    internal void RaiseLinkDown(ClusterId other) => Lane.Post(() => LinkDown?.Invoke(other));

    private bool Arrive(ClusterId to, string service, Action<SimulatedMessenger> take)
    {
        if (_network.Receiver(to, service) is not { } receiver)
        {
            return false;
        }

        receiver.Lane.Post(() => take(receiver));
        return true;
    }

    private async Task AnswerAsync(
        SimulatedMessenger caller, ClusterMessage message, MessageOptions options, TaskCompletionSource<ClusterReply> ended)
    {
        ClusterReply reply;
        if (!_handlers.TryGetValue(message.Service, out var handler))
        {
            reply = ClusterReply.Refused($"Cluster '{LocalCluster}' does not serve '{message.Service}'.");
        }
        else
        {
            try
            {
                reply = ClusterReply.Replied((await handler(message, CancellationToken.None)).ToArray());
                _network.OnReply?.Invoke(message.Service, reply.Payload);
            }
            catch (Exception e)
            {
                _network.Trace?.Detail($"fails {message.Service} {e.GetType().Name}");
                reply = ClusterReply.Unknown($"The handler of '{message.Service}' in cluster '{LocalCluster}' failed: {e.Message}");
            }
        }

        if (_network.OnPoint?.Invoke("reply") == false)
        {
            return;
        }

        _network.Carry(LocalCluster, message.From, options.PartitionKey, "reply", () =>
        {
            ended.TrySetResult(reply);
            return !caller.Lane.IsHalted;
        });
    }

    private async Task DeliverAsync(ClusterMessage message)
    {
        if (!_handlers.TryGetValue(message.Service, out var handler))
        {
            return;
        }

        try
        {
            await handler(message, CancellationToken.None);
        }
        catch (Exception e)
        {
            _network.Trace?.Detail($"fails {message.Service} {e.GetType().Name}");
        }
    }

    private ClusterReply Count(ClusterReply reply)
    {
        _network.Counts.Unknown += reply.Outcome == ReplyOutcome.Unknown ? 1 : 0;
        _network.Counts.Refused += reply.Outcome == ReplyOutcome.Refused ? 1 : 0;
        return reply;
    }

    private sealed class Registration(Action dispose) : IDisposable
    {
        public void Dispose() => dispose();
    }
}
