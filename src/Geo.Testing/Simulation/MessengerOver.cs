namespace Geo.Testing;

/// <summary>A messenger over another one, which does what it is asked unless one that derives from it says otherwise.</summary>
internal abstract class MessengerOver(IClusterMessenger inner) : IClusterMessenger
{
    public event Action<ClusterId>? LinkUp
    {
        add => Inner.LinkUp += value;
        remove => Inner.LinkUp -= value;
    }

    public event Action<ClusterId>? LinkDown
    {
        add => Inner.LinkDown += value;
        remove => Inner.LinkDown -= value;
    }

    public ClusterId LocalCluster => Inner.LocalCluster;

    public IReadOnlyCollection<ClusterId> Others => Inner.Others;

    public int MaxMessageBytes => Inner.MaxMessageBytes;

    protected IClusterMessenger Inner => inner;

    public virtual bool IsLinked(ClusterId cluster) => Inner.IsLinked(cluster);

    public virtual ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) => Inner.RequestAsync(to, service, payload, options, cancellationToken);

    public virtual bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        Inner.TrySend(to, service, payload, options);

    public virtual IDisposable Handle(string service, ClusterMessageHandler handler) => Inner.Handle(service, handler);
}
