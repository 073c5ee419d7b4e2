using Geo.Messaging;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>Takes a client's calls to the gateway.</summary>
internal sealed class GatewayCalls(
    IGatewayLink link, GeoClientOptions options, ExceptionTypes exceptions, IGeoSerializer serializer, Deadlines deadlines,
    SiloSurroundings around, ILogger logger)
    : ICallSender, IDisposable
{
    private const int ChainOfClient = 2;

    // The client is who sends, whatever it calls: its calls keep their order on the way.
    private static readonly PartitionKey OwnKey = PartitionKey.From("client");

    public IGeoSerializer Serializer => serializer;

    public ExceptionTypes Exceptions => exceptions;

    public Deadlines Deadlines => deadlines;

    public TimeSpan RequestTimeout => options.RequestTimeout;

    public int MaxCallChain => ChainOfClient;

    public ClusterId Cluster => default;

    public bool SharesMemory => false;

    public SiloSurroundings Around => around;

    public void Send(GrainCall call) => _ = SendAsync(call);

    public void OneWayFailed(GrainCall call, Exception exception) => RuntimeLog.OneWayFailed(logger, exception, call);

    public void Dispose() => deadlines.Dispose();

    private async Task SendAsync(GrainCall call)
    {
        var writer = PayloadWriters.Rent();
        try
        {
            // Written before anything is awaited: the caller may change its arguments as soon as it has its task.
            CallHeader.WriteCall(writer, call, number: 0, deadlines, deadlines.Until(call.AnswerDueAt));
            await SendAsync(call, writer.Written).ConfigureAwait(around.KeepsContext);
        }
        catch (Exception e)
        {
            call.TryFail(e);
        }
        finally
        {
            PayloadWriters.Return(writer);
        }
    }

    private async ValueTask SendAsync(GrainCall call, ReadOnlyMemory<byte> payload)
    {
        var reason = "";
        for (var attempt = 0; attempt <= options.Gateways.Count && call.IsWanted(); attempt++)
        {
            var gateway = link.Current ?? await WaitForGatewayAsync(call).ConfigureAwait(around.KeepsContext);

            // The link waits a little longer than the call, so that a time-out is the call's own.
            var timeout = deadlines.Until(call.AnswerDueAt) + (2 * options.TimeoutResolution);
            var message = new MessageOptions(PartitionKey: OwnKey, Timeout: timeout);
            if (call.Method.IsOneWay)
            {
                var outcome = link.TrySend(gateway, payload, message);
                if (outcome == SendOutcome.Queued)
                {
                    return;
                }

                reason = $"{gateway}: {outcome}";
                continue;
            }

            var reply = await link.RequestAsync(gateway, payload, message, call.Cancellation).ConfigureAwait(around.KeepsContext);
            switch (reply.Outcome)
            {
                case ReplyOutcome.Replied:
                    call.Answer(reply.Payload);
                    return;

                case ReplyOutcome.Unknown:
                    call.TryFail(new GeoOutcomeUnknownException(
                        $"Whether {call} was executed is not known: {reply.Reason} Read before trying again."));
                    return;

                default:
                    reason = $"{gateway}: {reply.Reason}";
                    break;
            }
        }

        call.TryFail(new GeoUnavailableException($"{call} was not executed, because no gateway took it ({reason})."));
    }

    private async ValueTask<PeerId> WaitForGatewayAsync(GrainCall call)
    {
        try
        {
            await around.EndHere(link.Connected).WaitAsync(options.ConnectionWait, deadlines.Time, call.Cancellation)
                .ConfigureAwait(around.KeepsContext);
        }
        catch (TimeoutException)
        {
            // Said below, as for a link that was lost again at once.
        }

        return link.Current ?? throw new GeoUnavailableException(
            $"{call} was not executed: no gateway ({string.Join(", ", options.Gateways)}) was connected within "
            + $"{options.ConnectionWait.TotalSeconds} s.");
    }
}
