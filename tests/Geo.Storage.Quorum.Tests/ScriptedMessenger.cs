using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A test decides which request gets through to which cluster.</summary>
internal sealed class ScriptedMessenger(IClusterMessenger inner) : MessengerOver(inner)
{
    /// <summary>True for a request that gets through.</summary>
    public Func<ClusterId, QuorumRequest, bool> Passes { get; set; } = (_, _) => true;

    /// <summary>Ends when a request that gets through sets out.</summary>
    public Func<ClusterId, QuorumRequest, Task> SetsOut { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>What answers a request, with the list that it comes from, instead of the cluster; null for the cluster.</summary>
    public Func<ClusterId, ulong, QuorumRequest, Task<QuorumReply?>?> Instead { get; set; } = (_, _, _) => null;

    /// <summary>False while what others send here is lost.</summary>
    public bool Hears { get; set; } = true;

    public override IDisposable Handle(string service, ClusterMessageHandler handler) =>
        base.Handle(service, (message, token) => Hears ? handler(message, token) : new(ReadOnlyMemory<byte>.Empty));

    public override async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        var (stores, request) = QuorumCodec.ReadRequest(payload.Span);
        if (!Passes(to, request))
        {
            return ClusterReply.Refused("the script lets nothing through");
        }

        if (Instead(to, stores, request) is { } instead)
        {
            return await instead is { } told ? ClusterReply.Replied(QuorumCodec.Write(told)) : ClusterReply.Replied(default);
        }

        await SetsOut(to, request);
        return await Inner.RequestAsync(to, service, payload, options, cancellationToken);
    }
}
