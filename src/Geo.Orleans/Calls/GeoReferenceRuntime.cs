using System.Runtime.CompilerServices;
using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Carries calls of single-instance grains to the cluster of the instance. A call whose grain is not known to be elsewhere goes the ordinary
/// way; the directory then either lets the grain activate in this cluster or answers with the cluster to go to.
/// </summary>
/// <remarks>
/// Behind the references of single-instance grains only: a call filter would see, and slow down, the calls of all grains. The application's
/// own outgoing filters run where the call ends, in the cluster of the instance.
/// </remarks>
internal sealed class GeoReferenceRuntime(
    GlobalSingleGrains singles, CallRoutes routes, IGrainReferenceRuntime orleans, CallSender calls, IGrainFactory grains, TimeProvider time,
    int maxAttempts) : IGrainReferenceRuntime
{
    // What has moved is settled within milliseconds; more haste would use up the attempts.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    public ValueTask<T> InvokeMethodAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        IsOrdinary(reference) ? orleans.InvokeMethodAsync<T>(reference, request, options)
        : routes.Knows(reference.GrainId) ? CallAsync<T>(reference, request, options)
        : RoutedCall<T>.Follow(this, reference, request, options, orleans.InvokeMethodAsync<T>(reference, request, options)).AsValueTask();

    public ValueTask InvokeMethodAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        IsOrdinary(reference) ? orleans.InvokeMethodAsync(reference, request, options)
        : options.HasFlag(InvokeMethodOptions.OneWay) ? new ValueTask(SendAsync(reference, request, options))
        : routes.Knows(reference.GrainId) ? CallAsync(reference, request, options)
        : RoutedCall<object?>.Follow(this, reference, request, options, orleans.InvokeMethodAsync<object?>(reference, request, options)).AsVoidValueTask();

    public void InvokeMethod(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        if (IsOrdinary(reference))
        {
            orleans.InvokeMethod(reference, request, options);
        }
        else
        {
            SendAsync(reference, request, options).Ignore();
        }
    }

    public object Cast(IAddressable grain, Type interfaceType) => orleans.Cast(grain, interfaceType);

    /// <summary>Goes on with a call that the directory sent to another cluster.</summary>
    public ValueTask<T> RerouteAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options, ClusterId cluster)
    {
        routes.Remember(reference.GrainId, cluster);
        return CallAsync<T>(reference, request, options);
    }

    /// <summary>True for calls that end in this cluster: of other grains, and those that another cluster has carried here.</summary>
    private bool IsOrdinary(GrainReference reference) =>
        singles.ModeOf(reference.GrainId.Type) is null || CarriedCall.TakeArrival(reference.GrainId);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<T> CallAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        for (var attempt = 0; attempt < maxAttempts; attempt++)
        {
            if (routes.TryGet(reference.GrainId, out var cluster) && (attempt > 0 || !CarriesToken(request)))
            {
                if (await CarryAsync(reference, request, cluster) is { } response)
                {
                    return response.GetResult<T>();
                }

                await Task.Delay(Pause * attempt, time);
            }

            try
            {
                return await orleans.InvokeMethodAsync<T>(reference, request, options);
            }
            catch (GeoRedirectException redirect) when (redirect.Grain == GrainNames.ToKey(reference.GrainId))
            {
                routes.Remember(reference.GrainId, redirect.Cluster);
            }
        }

        throw KeepsMoving(reference, request);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask CallAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        await CallAsync<object?>(reference, request, options);

    /// <summary>
    /// A one-way call would lose the redirect, so a call that does not comes first and follows it. Ends when the call is on its way.
    /// </summary>
    private async Task SendAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        await grains.GetGrain(reference.GrainId).AsReference<IGeoTouch>().TouchAsync();
        if (routes.TryGet(reference.GrainId, out var cluster))
        {
            CarryAsync(reference, request, cluster).AsTask().Ignore();
        }
        else
        {
            await orleans.InvokeMethodAsync(reference, request, options);
        }
    }

    /// <summary>The grain's answer from a cluster; null when it is not there, and the call did not run.</summary>
    private async ValueTask<Response?> CarryAsync(GrainReference reference, IInvokable request, ClusterId cluster)
    {
        var reply = await calls.CarryAsync(cluster, reference.GrainId, request);
        if (reply.Outcome != CarriedOutcome.Answered)
        {
            routes.Forget(reference.GrainId, cluster);
        }

        return calls.Read(reply, cluster, reference.GrainId, request);
    }

    /// <summary>
    /// Orleans notes on the ordinary way, and only there, which grains a <see cref="GrainCancellationToken"/> was given to; a call with one
    /// always tries that way first. The cancellation is then a call like any other, and follows the grain.
    /// </summary>
    private static bool CarriesToken(IInvokable request)
    {
        for (var i = 0; i < request.GetArgumentCount(); i++)
        {
            if (request.GetArgument(i) is GrainCancellationToken)
            {
                return true;
            }
        }

        return false;
    }

    private GeoUnavailableException KeepsMoving(GrainReference reference, IInvokable request) =>
        new($"The call of {request.GetActivityName()} found no instance of grain '{reference.GrainId}' in {maxAttempts} attempts: it keeps moving from cluster to cluster.");
}
