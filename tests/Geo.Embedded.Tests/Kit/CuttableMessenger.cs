namespace Geo.Embedded.Tests;

/// <summary>A messenger whose links can be cut and mended at once.</summary>
internal sealed class CuttableMessenger(IClusterMessenger inner) : IClusterMessenger
{
    public volatile bool IsCut;

    public event Action<ClusterId>? LinkUp
    {
        add => inner.LinkUp += value;
        remove => inner.LinkUp -= value;
    }

    public event Action<ClusterId>? LinkDown
    {
        add => inner.LinkDown += value;
        remove => inner.LinkDown -= value;
    }

    public ClusterId LocalCluster => inner.LocalCluster;

    public bool IsLinked(ClusterId cluster) => !IsCut && inner.IsLinked(cluster);

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        IsCut ? new(ClusterReply.Refused("the link is cut")) : inner.RequestAsync(to, service, payload, options, cancellationToken);

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        !IsCut && inner.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler) => inner.Handle(
        service,
        (message, token) => IsCut ? throw new InvalidOperationException("the link is cut") : handler(message, token));
}
