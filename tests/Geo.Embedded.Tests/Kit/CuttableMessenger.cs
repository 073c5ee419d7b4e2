using Geo.Testing;

namespace Geo.Embedded.Tests;

/// <summary>A messenger whose links can be cut and mended at once.</summary>
internal sealed class CuttableMessenger(IClusterMessenger inner) : MessengerOver(inner)
{
    public volatile bool IsCut;

    public override bool IsLinked(ClusterId cluster) => !IsCut && Inner.IsLinked(cluster);

    public override ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        IsCut ? new(ClusterReply.Refused("the link is cut")) : Inner.RequestAsync(to, service, payload, options, cancellationToken);

    public override bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        !IsCut && Inner.TrySend(to, service, payload, options);

    public override IDisposable Handle(string service, ClusterMessageHandler handler) => Inner.Handle(
        service,
        (message, token) => IsCut ? throw new InvalidOperationException("the link is cut") : handler(message, token));
}
