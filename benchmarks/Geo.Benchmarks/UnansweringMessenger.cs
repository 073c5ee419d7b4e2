namespace Geo.Benchmarks;

/// <summary>A way to other clusters of which none answers.</summary>
internal sealed class UnansweringMessenger : IClusterMessenger, IDisposable
{
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

    public ClusterId LocalCluster { get; } = new("us");

    public bool IsLinked(ClusterId cluster) => false;

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) => new(ClusterReply.Refused("nobody is there"));

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) => false;

    public IDisposable Handle(string service, ClusterMessageHandler handler) => this;

    public void Dispose()
    {
    }
}
