using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A test decides which request gets through to which cluster.</summary>
internal sealed class ScriptedMessenger(IClusterMessenger inner) : MessengerOver(inner)
{
    /// <summary>True for a request that gets through.</summary>
    public Func<ClusterId, QuorumRequest, bool> Passes { get; set; } = (_, _) => true;

    /// <summary>What answers a request, with the list that it comes from, instead of the cluster; null for the cluster.</summary>
    public Func<ClusterId, ulong, QuorumRequest, Task<QuorumReply?>?> Instead { get; set; } = (_, _, _) => null;

    public override ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        var (stores, request) = QuorumCodec.ReadRequest(payload.Span);
        return !Passes(to, request) ? new(ClusterReply.Refused("the script lets nothing through"))
            : Instead(to, stores, request) is { } instead ? RepliedAsync(instead)
            : Inner.RequestAsync(to, service, payload, options, cancellationToken);
    }

    private static async ValueTask<ClusterReply> RepliedAsync(Task<QuorumReply?> reply) =>
        await reply is { } told ? ClusterReply.Replied(QuorumCodec.Write(told)) : ClusterReply.Replied(default);
}
