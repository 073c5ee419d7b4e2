using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A test decides which request gets through to which cluster.</summary>
internal sealed class ScriptedMessenger(IClusterMessenger inner) : MessengerOver(inner)
{
    /// <summary>True for a request that gets through.</summary>
    public Func<ClusterId, QuorumRequest, bool> Passes { get; set; } = (_, _) => true;

    public override ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        Passes(to, QuorumCodec.ReadRequest(payload.Span).Request)
            ? Inner.RequestAsync(to, service, payload, options, cancellationToken)
            : new(ClusterReply.Refused("the script lets nothing through"));
}
