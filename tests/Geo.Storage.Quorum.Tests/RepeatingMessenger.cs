using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>Now and then sends a request once more, up to seconds later; that answer is nobody's.</summary>
internal sealed class RepeatingMessenger(IClusterMessenger inner, ChoiceTape fate, double share, VirtualTime time) : IClusterMessenger
{
    private static readonly TimeSpan Latest = TimeSpan.FromSeconds(4);

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
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        if (fate.Chance(share))
        {
            _ = AgainAsync(to, service, payload.ToArray(), options);
        }

        return inner.RequestAsync(to, service, payload, options, cancellationToken);
    }

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        inner.TrySend(to, service, payload, options);

    public IDisposable Handle(string service, ClusterMessageHandler handler) => inner.Handle(service, handler);

    private async Task AgainAsync(ClusterId to, string service, byte[] payload, MessageOptions options)
    {
        await Task.Delay(fate.Between(TimeSpan.Zero, Latest), time);
        await inner.RequestAsync(to, service, payload, options);
    }
}
