using Geo.Directory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Runs the calls that other clusters carry here: of grains where the directory says that the instance is in this cluster, and of observers
/// at home here. Whichever silo the call arrives at, Orleans takes it to the activation or client.
/// </summary>
internal sealed class CallReceiver(
    GeoSilo silo, IGrainFactory grains, Serializer serializer, CallLimits limits, IOptions<GeoOrleansOptions> options, ILogger<CallReceiver> logger)
{
    /// <summary>The service under which calls are carried.</summary>
    public const string Service = "geo.call";

    /// <summary>The channel of carried calls, apart from rounds and notices, which never wait behind a call's large arguments.</summary>
    public const string Channel = "geo.calls";

    private int _running;

    public async ValueTask<ReadOnlyMemory<byte>> HandleAsync(ClusterMessage message, CancellationToken cancellationToken) =>
        (await AnswerAsync(message, cancellationToken)).Encode();

    /// <summary>Runs a call and waits for its end; the call is cancelled where its caller no longer waits.</summary>
    public async ValueTask<CarriedReply> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _running) > options.Value.MaxCarriedCalls)
        {
            Interlocked.Decrement(ref _running);
            OrleansMetrics.CallsRefused.Add(1);
            return CarriedReply.Refused($"a silo there runs {options.Value.MaxCarriedCalls} carried calls, which is its limit");
        }

        try
        {
            return await RunAsync(message, cancellationToken);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private async ValueTask<CarriedReply> RunAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        CallFrame call;
        try
        {
            call = CallFrame.Decode(message.Payload.Span, message.From, serializer);
        }
        catch (GeoSerializationException e)
        {
            logger.CarriedCallUnreadable(message.From, e);
            return CarriedReply.Refused(e.Message);
        }

        using (call.Request)
        {
            var target = GrainNames.ToGrainId(call.Grain);

            // An observer is where its client is. It is called before anything is awaited, so that its calls run in the order of arrival.
            if (target.Type != ObserverNames.AtHome)
            {
                try
                {
                    if (await silo.Directory.LookupAsync(call.Grain, cancellationToken) is not { Kind: PlacementKind.Here })
                    {
                        return CarriedReply.NotHere;
                    }
                }
                catch (GeoUnavailableException e)
                {
                    return CarriedReply.Refused(e.Message);
                }
            }

            RequestContextExtensions.Import(call.Context);
            call.Request.SetTarget(new ReferenceHolder(grains.GetGrain(target), call.Request.GetInterfaceType()));
            using var cancelling = message.GivenUp.UnsafeRegister(static request => ((IInvokable)request!).TryCancel(), call.Request);
            Response response;
            using (CarriedCall.Arrive(target))
            {
                response = await call.Request.Invoke();
            }

            using (response)
            {
                return response.Exception is GeoRedirectException redirect && redirect.Grain == call.Grain
                    ? CarriedReply.NotHere
                    : CarriedReply.Answered(Write(response, call));
            }
        }
    }

    /// <summary>The answer as it travels. Where it cannot, the caller is told so, for the call has run.</summary>
    private ReadOnlyMemory<byte> Write(Response response, CallFrame call)
    {
        byte[] bytes;
        try
        {
            bytes = serializer.SerializeToArray<object>(response);
        }
#pragma warning disable CA1031 // Types of the application are written here; whatever they throw is the caller's to know.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return response.Exception is { } thrown
                ? Refusal($"is {thrown.GetType()}, which cannot be serialized, with the message: {thrown.Message}", thrown)
                : Refusal($"cannot be serialized ({e.Message}); mark its type with [GenerateSerializer]", e);
        }

        return bytes.Length <= limits.MaxBytes
            ? bytes
            : Refusal(
                $"takes {bytes.Length:N0} bytes, and at most {limits.MaxBytes:N0} travel to another cluster "
                + $"({nameof(GeoOrleansOptions.MaxCallBytes)}); ask for less at a time, or raise the limit in all clusters");

        byte[] Refusal(string why, Exception? cause = null)
        {
            logger.AnswerNotCarried(call.Grain, why, cause);
            using var refusal = Response.FromException(
                new GeoSerializationException($"The call of {call.Request.GetActivityName()} on '{call.Grain}' ran, but its answer {why}."));
            return serializer.SerializeToArray<object>(refusal);
        }
    }
}
