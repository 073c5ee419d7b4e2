namespace Geo.Experiments.Scale;

/// <summary>
/// The way between the clusters of one process: a request is handled where it is sent, after half the round trip each way.
/// </summary>
internal sealed class DirectMessenger(ClusterId local, Dictionary<ClusterId, DirectMessenger> clusters) : IClusterMessenger
{
    private ClusterMessageHandler? _handler;

    // Links neither come up nor go down here.
    public event Action<ClusterId>? LinkUp
    {
        add { }
        remove { }
    }

    public event Action<ClusterId>? LinkDown
    {
        add { }
        remove { }
    }

    public ClusterId LocalCluster => local;

    /// <summary>From the request to the reply.</summary>
    public TimeSpan RoundTrip { get; set; }

    public bool IsLinked(ClusterId cluster) => clusters.ContainsKey(cluster);

    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        if (!clusters.TryGetValue(to, out var other) || other._handler is not { } handler)
        {
            return ClusterReply.Refused($"'{to}' has no directory");
        }

        await TravelAsync(cancellationToken);
        var reply = await handler(new ClusterMessage(local, service, payload, ExpectsReply: true), cancellationToken);
        await TravelAsync(cancellationToken);
        return ClusterReply.Replied(reply);
    }

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) => false;

    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        _handler = handler;
        return new Registration(this);
    }

    private Task TravelAsync(CancellationToken cancellationToken) =>
        RoundTrip > TimeSpan.Zero ? Task.Delay(RoundTrip / 2, cancellationToken) : Task.CompletedTask;

    private sealed class Registration(DirectMessenger messenger) : IDisposable
    {
        public void Dispose() => messenger._handler = null;
    }
}
