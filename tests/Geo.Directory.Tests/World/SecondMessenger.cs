namespace Geo.Directory.Tests;

/// <summary>The messenger of a further silo of a cluster, over the first one's link: it sends, but the requests of others reach the first silo.</summary>
internal sealed class SecondMessenger(IClusterMessenger first) : IClusterMessenger
{
    public event Action<ClusterId>? LinkUp
    {
        add => first.LinkUp += value;
        remove => first.LinkUp -= value;
    }

    public event Action<ClusterId>? LinkDown
    {
        add => first.LinkDown += value;
        remove => first.LinkDown -= value;
    }

    public ClusterId LocalCluster => first.LocalCluster;

    public bool IsLinked(ClusterId cluster) => first.IsLinked(cluster);

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default) =>
        first.RequestAsync(to, service, payload, options, cancellationToken);

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        first.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler) => new Nothing();

    private sealed class Nothing : IDisposable
    {
        public void Dispose()
        {
        }
    }
}
