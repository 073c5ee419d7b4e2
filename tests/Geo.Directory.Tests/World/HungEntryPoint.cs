namespace Geo.Directory.Tests;

/// <summary>A messenger to clusters of two silos, of which the one that is asked first says nothing any more.</summary>
internal sealed class HungEntryPoint(IClusterMessenger inner, TimeProvider time) : IClusterMessenger
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

    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default)
    {
        if (options.Attempt > 0)
        {
            return await inner.RequestAsync(to, service, payload, options, cancellationToken);
        }

        await Task.Delay(options.Timeout!.Value, time, cancellationToken);
        return ClusterReply.Unknown("it hangs");
    }

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        inner.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler) => inner.Handle(service, handler);
}
