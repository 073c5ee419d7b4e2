using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>Turns what arrives from other clusters and from clients into calls, and their ends into replies.</summary>
internal sealed class InboundCalls(GrainClasses classes, CallRouter router, ICallSender sender, ILogger logger)
{
    /// <summary>A call from another cluster: executed here, or answered "not here".</summary>
    public ValueTask<ReadOnlyMemory<byte>> FromClusterAsync(ClusterMessage message, CancellationToken cancellationToken) =>
        ReceiveAsync(message.Payload, isForwarded: true, message.ExpectsReply, message.From.Name, cancellationToken);

    /// <summary>A call from a client: executed wherever its grain is.</summary>
    public ValueTask<ReadOnlyMemory<byte>> FromClientAsync(Messaging.PeerMessage message, CancellationToken cancellationToken) =>
        ReceiveAsync(message.Payload, isForwarded: false, message.ExpectsReply, message.From.Name, cancellationToken);

    private ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ReadOnlyMemory<byte> payload, bool isForwarded, bool expectsReply, string from, CancellationToken cancellationToken)
    {
        InboundCall call;
        try
        {
            call = Read(payload.Span, isForwarded, cancellationToken);
        }
        catch (Exception e) when (e is GeoException)
        {
            EmbeddedMetrics.RefusedCalls.Add(1);
            RuntimeLog.CallUnreadable(logger, from, e.Message);
            return new(CallReply.Failure(e));
        }

        router.Route(call);
        return expectsReply ? new(call.Reply) : default;
    }

    private InboundCall Read(ReadOnlySpan<byte> payload, bool isForwarded, CancellationToken cancellationToken)
    {
        var reader = new PayloadReader(payload);
        var header = CallHeader.Read(ref reader, isForwarded);
        var grainClass = classes.Find(header.Target.Type);
        return grainClass.Methods.TryGetValue(header.MethodId, out var method)
            ? method.Method.Receive(header, ref reader, sender, cancellationToken)
            : throw new GeoConfigurationException(
                $"A method was called on {header.Target} that its class {grainClass.Type.FullName} does not have here; update the older side.");
    }
}
