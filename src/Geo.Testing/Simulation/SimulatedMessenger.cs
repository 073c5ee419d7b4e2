namespace Geo.Testing;

/// <summary>One cluster's end of a <see cref="SimulatedNetwork"/>.</summary>
public sealed class SimulatedMessenger : IClusterMessenger
{
    private readonly SimulatedNetwork _network;
    private readonly Dictionary<string, ClusterMessageHandler> _handlers = new(StringComparer.Ordinal);

    // The requests under way, which end when their link does.
    private readonly List<(ClusterId To, TaskCompletionSource<ClusterReply> Ended)> _pending = [];

    // To which clusters this silo has no link of its own.
    private readonly HashSet<ClusterId> _unlinked = [];

    internal SimulatedMessenger(SimulatedNetwork network, ClusterId cluster, SimulationLane lane) =>
        (_network, LocalCluster, Lane) = (network, cluster, lane);

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkUp;

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkDown;

    /// <inheritdoc/>
    public ClusterId LocalCluster { get; }

    /// <summary>All that have joined the network.</summary>
    public IReadOnlyCollection<ClusterId> Others => [.. _network.Clusters.Where(c => c != LocalCluster)];

    internal SimulationLane Lane { get; }

    /// <inheritdoc/>
    public bool IsLinked(ClusterId cluster) => !_unlinked.Contains(cluster) && _network.IsLinked(LocalCluster, cluster);

    /// <inheritdoc/>
    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
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

        if (IsCut(to) && _network.Chance(_network.Options.RefusedWhenCut))
        {
            return Count(ClusterReply.Refused($"The link to cluster '{to}' is down."));
        }

        var ended = new TaskCompletionSource<ClusterReply>();
        if (!_unlinked.Contains(to))
        {
            var bytes = payload.ToArray();
            _network.Carry(LocalCluster, to, options.PartitionKey, service, () => Arrive(to, service, receiver =>
                _ = receiver.AnswerAsync(this, new ClusterMessage(LocalCluster, service, bytes, true), options, ended)));
        }

        using var timeout = new CancellationTokenSource(
            LongestWait.Clamp(options.Timeout ?? _network.Options.RequestTimeout), _network.Time);
        using var onTimeout = timeout.Token.Register(
            () => ended.TrySetResult(ClusterReply.Unknown($"No reply came from cluster '{to}' in time.")));
        using var onCancel = cancellationToken.Register(() => ended.TrySetCanceled(cancellationToken));
        _pending.Add((to, ended));
        try
        {
            return Count(await ended.Task);
        }
        finally
        {
            _pending.Remove((to, ended));
        }
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
        if (!_network.Knows(to) || (IsCut(to) && _network.Chance(_network.Options.RefusedWhenCut)))
        {
            return false;
        }

        if (_unlinked.Contains(to))
        {
            return true;
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

    /// <summary>True where this silo lacks a link of its own.</summary>
    internal bool IsUnlinked => _unlinked.Count > 0;

    /// <summary>This silo has no link to a cluster any more; others of its cluster may have one.</summary>
    internal void Unlink(ClusterId other)
    {
        _network.Trace?.Note($"{Lane.Name} has no link to {other}");
        if (_unlinked.Add(other))
        {
            RaiseLinkDown(other);
        }
    }

    /// <summary>This silo has all its links again.</summary>
    internal void Link()
    {
        foreach (var other in _unlinked.Order().ToArray())
        {
            _network.Trace?.Note($"{Lane.Name} has its link to {other} again");
            _unlinked.Remove(other);
            if (_network.IsLinked(LocalCluster, other))
            {
                RaiseLinkUp(other);
            }
        }
    }

    internal bool Hears(ClusterId cluster) => !_unlinked.Contains(cluster);

    internal bool Serves(string service) => _handlers.ContainsKey(service);

    internal void RaiseLinkUp(ClusterId other) => Lane.Post(() => LinkUp?.Invoke(other));

    /// <summary>What is under way may end as unknown, as with a connection that breaks.</summary>
    internal void RaiseLinkDown(ClusterId other) => Lane.Post(() =>
    {
        foreach (var (to, ended) in _pending)
        {
            _ = to == other && _network.Chance(_network.Options.UnknownWhenCut)
                && ended.TrySetResult(ClusterReply.Unknown($"The link to cluster '{to}' was lost."));
        }

        LinkDown?.Invoke(other);
    });

    private bool Arrive(ClusterId to, string service, Action<SimulatedMessenger> take)
    {
        if (_network.Receiver(to, service, LocalCluster) is not { } receiver)
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
            reply = ClusterReply.NotServed($"Cluster '{LocalCluster}' does not serve '{message.Service}'.");
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
            if (!caller.Hears(LocalCluster) || !Hears(caller.LocalCluster))
            {
                return false;
            }

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

    private bool IsCut(ClusterId to) => _unlinked.Contains(to) || _network.IsCut(LocalCluster, to);

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
