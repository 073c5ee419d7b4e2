using System.Runtime.ExceptionServices;
using Orleans.CodeGeneration;
using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Carries calls of single-instance grains to the cluster of the instance. A call whose grain is not known to be elsewhere goes the ordinary
/// way; the directory then either lets the grain activate in this cluster or answers with the cluster to go to.
/// </summary>
internal sealed class GeoCallFilter(
    GlobalSingleGrains singles, CallRoutes routes, Lazy<ICallCarrier> carrier, Lazy<IGrainFactory> grains, Serializer serializer, DeepCopier copier,
    int maxAttempts) : IOutgoingGrainCallFilter
{
    public Task Invoke(IOutgoingGrainCallContext context) =>
        singles.ModeOf(context.TargetId.Type) is null ? context.Invoke()
        : CarriedCall.TakeArrival(context.TargetId) ? context.Invoke()
        : InvokeAsync(context);

    private async Task InvokeAsync(IOutgoingGrainCallContext context)
    {
        var grain = context.TargetId;
        var reason = "it keeps moving from cluster to cluster";
        for (var attempt = 0; attempt < maxAttempts; attempt++)
        {
            if (routes.TryGet(grain, out var cluster))
            {
                var reply = await CarryAsync(context, grain, cluster);
                if (reply.Outcome == CarriedOutcome.Answered)
                {
                    Answer(context, reply);
                    return;
                }

                reason = reply.Reason ?? reason;
                routes.Forget(grain, cluster);
                if (reply.Outcome == CarriedOutcome.Unknown)
                {
                    throw new GeoTimeoutException(
                        $"The call of {context.InterfaceName}.{context.MethodName} on grain '{grain}' in cluster '{cluster}' had no answer ({reason}); it may have run.");
                }

                if (reply.Outcome == CarriedOutcome.Refused)
                {
                    throw new GeoUnavailableException(
                        $"The call of {context.InterfaceName}.{context.MethodName} on grain '{grain}' did not reach cluster '{cluster}' ({reason}).");
                }
            }

            try
            {
                if (IsOneWay(context))
                {
                    // A one-way call would lose the redirect, so a call that does not comes first and follows it.
                    await grains.Value.GetGrain(grain).AsReference<IGeoTouch>().TouchAsync();
                    if (routes.TryGet(grain, out _))
                    {
                        continue;
                    }
                }

                await context.Invoke();
                return;
            }
            catch (GeoRedirectException redirect) when (redirect.Grain == GrainNames.ToKey(grain))
            {
                routes.Remember(grain, redirect.Cluster);
            }
        }

        throw new GeoUnavailableException(
            $"The call of {context.InterfaceName}.{context.MethodName} found no instance of grain '{grain}' in {maxAttempts} attempts: {reason}.");
    }

    private static bool IsOneWay(IOutgoingGrainCallContext context) =>
        context.Request is RequestBase request && request.Options.HasFlag(InvokeMethodOptions.OneWay);

    private ValueTask<CarriedReply> CarryAsync(IOutgoingGrainCallContext context, GrainId grain, ClusterId cluster)
    {
        OrleansMetrics.CallsCarried.Add(1);
        return carrier.Value.CarryAsync(
            cluster, GrainNames.ToKey(grain), CallFrame.Encode(grain, context.Request, serializer, copier),
            context.Request.GetDefaultResponseTimeout(), context.Request.GetCancellationToken());
    }

    private void Answer(IOutgoingGrainCallContext context, CarriedReply reply)
    {
        var response = (Response)serializer.Deserialize<object>(reply.Response);
        if (response.Exception is { } exception)
        {
            // Set as a response, it would be swallowed where the method returns no value.
            ExceptionDispatchInfo.Throw(exception);
        }

        context.Response = response;
    }
}
