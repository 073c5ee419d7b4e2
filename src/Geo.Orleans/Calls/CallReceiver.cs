using Geo.Directory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Runs the calls that other clusters carry here, where the directory says that the instance is in this cluster; whichever silo the call
/// arrives at, Orleans takes it to the activation.
/// </summary>
internal sealed class CallReceiver(
    GeoSilo silo, IGrainFactory grains, Serializer serializer, IOptions<GeoOrleansOptions> options, ILogger<CallReceiver> logger)
{
    /// <summary>The service under which calls are carried.</summary>
    public const string Service = "geo.call";

    /// <summary>The channel of carried calls, apart from rounds and notices, which never wait behind a call's large arguments.</summary>
    public const string Channel = "geo.calls";

    private int _running;

    public async ValueTask<ReadOnlyMemory<byte>> HandleAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _running) > options.Value.MaxCarriedCalls)
        {
            Interlocked.Decrement(ref _running);
            OrleansMetrics.CallsRefused.Add(1);
            return CarriedReply.Refused($"a silo there runs {options.Value.MaxCarriedCalls} carried calls, which is its limit").Encode();
        }

        try
        {
            return (await RunAsync(message, cancellationToken)).Encode();
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
            call = CallFrame.Decode(message.Payload.Span, serializer);
        }
        catch (GeoSerializationException e)
        {
            logger.CarriedCallUnreadable(message.From, e);
            return CarriedReply.Refused(e.Message);
        }

        using (call.Request)
        {
            Placement? placement;
            try
            {
                placement = await silo.Directory.LookupAsync(call.Grain, cancellationToken);
            }
            catch (GeoUnavailableException e)
            {
                return CarriedReply.Refused(e.Message);
            }

            if (placement is not { Kind: PlacementKind.Here })
            {
                return CarriedReply.NotHere;
            }

            RequestContextExtensions.Import(call.Context);
            var reference = grains.GetGrain(GrainNames.ToGrainId(call.Grain));
            call.Request.SetTarget(new ReferenceHolder(reference, call.Request.GetInterfaceType()));
            using var cancelling = cancellationToken.UnsafeRegister(static request => ((IInvokable)request!).TryCancel(), call.Request);
            Response response;
            using (CarriedCall.Arrive(reference.GetGrainId()))
            {
                response = await call.Request.Invoke();
            }

            using (response)
            {
                return response.Exception is GeoRedirectException redirect && redirect.Grain == call.Grain
                    ? CarriedReply.NotHere
                    : CarriedReply.Answered(serializer.SerializeToArray<object>(response));
            }
        }
    }
}
