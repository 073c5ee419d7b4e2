namespace Geo.Directory.Tests;

/// <summary>A messenger against its contract: its requests never end, whatever becomes of the token.</summary>
internal sealed class SilentMessenger(IClusterMessenger inner) : IClusterMessenger
{
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

    public bool IsLinked(ClusterId cluster) => inner.IsLinked(cluster);

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default) =>
        new(new TaskCompletionSource<ClusterReply>().Task);

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        inner.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler) => inner.Handle(service, handler);
}
