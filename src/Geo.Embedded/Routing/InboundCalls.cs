using Geo.Messaging;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>Turns what arrives from other clusters and from clients into calls, and their ends into replies.</summary>
internal sealed class InboundCalls(
    GrainClasses classes, CallRouter router, Cancellations cancellations, ICallSender sender, SiloSurroundings around,
    ILogger logger)
{
    /// <summary>A call from another cluster: executed here, or answered "not here".</summary>
    public ValueTask<ReadOnlyMemory<byte>> FromClusterAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        ulong number = 0;
        try
        {
            var reader = new PayloadReader(message.Payload.Span);
            var header = CallHeader.Read(ref reader, isForwarded: true);
            number = header.Number;
            var call = Receive(header, ref reader, cancellations.Begin(message.From, number, cancellationToken));
            call.From = message.From;
            return number == 0 ? Run(call, message.ExpectsReply) : RunCancellableAsync(call, message.From, number);
        }
        catch (Exception e)
        {
            cancellations.End(message.From, number);
            if (e is GeoException reason)
            {
                return Refuse(message.From.Name, reason);
            }

            throw;
        }
    }

    /// <summary>A call that another silo of this cluster passes here: executed here, or answered "not here".</summary>
    public ValueTask<ReadOnlyMemory<byte>> FromSiblingAsync(ReadOnlyMemory<byte> passed, CancellationToken cancellationToken)
    {
        try
        {
            var reader = new PayloadReader(passed.Span);
            var from = reader.ReadText() is { } named ? new ClusterId(named) : default;
            var header = CallHeader.Read(ref reader, isForwarded: true);
            var call = Receive(header, ref reader, CancellationToken.None);
            (call.IsPassed, call.From) = (true, from);
            return Run(call, expectsReply: !call.Method.IsOneWay);
        }
        catch (GeoException e)
        {
            return Refuse("a silo of this cluster", e);
        }
    }

    /// <summary>A call from a client: executed wherever its grain is.</summary>
    public ValueTask<ReadOnlyMemory<byte>> FromClientAsync(PeerMessage message, CancellationToken cancellationToken)
    {
        try
        {
            var reader = new PayloadReader(message.Payload.Span);
            var header = CallHeader.Read(ref reader, isForwarded: false);

            // The token belongs to the handler, which a one-way call outlives: by then it is another message's.
            var cancellation = message.ExpectsReply ? cancellationToken : CancellationToken.None;
            return Run(Receive(header, ref reader, cancellation), message.ExpectsReply);
        }
        catch (GeoException e)
        {
            return Refuse(message.From.Name, e);
        }
    }

    private InboundCall Receive(in CallHeader header, ref PayloadReader arguments, CancellationToken cancellationToken)
    {
        var grainClass = classes.Find(header.Target.Type);
        GrainTraces.Handles(grainClass.TypeName);
        return grainClass.Methods.TryGetValue(header.MethodId, out var method)
            ? method.Method.Receive(header, ref arguments, sender, cancellationToken)
            : throw new GeoConfigurationException(
                $"A method was called on {header.Target} that its class {grainClass.Type.FullName} does not have here; update the older "
                + "side.");
    }

    private ValueTask<ReadOnlyMemory<byte>> Run(InboundCall call, bool expectsReply)
    {
        call.Start();
        router.Route(call);
        return expectsReply ? new(call.Reply) : default;
    }

    private async ValueTask<ReadOnlyMemory<byte>> RunCancellableAsync(InboundCall call, ClusterId from, ulong number)
    {
        try
        {
            call.Start();
            router.Route(call);
            return await call.Reply.ConfigureAwait(around.KeepsContext);
        }
        finally
        {
            cancellations.End(from, number);
        }
    }

    private ValueTask<ReadOnlyMemory<byte>> Refuse(string from, GeoException reason)
    {
        EmbeddedMetrics.RefusedCalls.Add(1);
        RuntimeLog.CallUnreadable(logger, from, reason.Message);
        return new(CallReply.Failure(reason, around.TellsStackTraces));
    }
}
