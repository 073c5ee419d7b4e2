using System.Runtime.CompilerServices;
using Geo.Consistency;
using Geo.Directory;
using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Carries calls of single-instance grains to the cluster of the instance. A call whose grain is not known to be elsewhere goes the
/// ordinary way; the directory then either lets the grain activate in this cluster or answers with the cluster to go to.
/// </summary>
/// <remarks>
/// Behind the references of single-instance grains only: a call filter would see, and slow down, the calls of all grains. The application's
/// own outgoing filters run where the call ends, in the cluster of the instance.
/// </remarks>
internal sealed class GeoReferenceRuntime(
    GlobalSingleGrains singles, KnownPlaces<ClusterId> routes, IGrainReferenceRuntime orleans, CallSender calls, IGrainFactory grains,
    TimeProvider time,
    CallLimits limits, Func<ReadReplicas>? replicas = null) : IGrainReferenceRuntime
{
    private bool _isOfSingles;

    /// <summary>The same for references of types that are known to have one instance: their calls need not look that up.</summary>
    public GeoReferenceRuntime OfSingles()
    {
        var copy = (GeoReferenceRuntime)MemberwiseClone();
        copy._isOfSingles = true;
        return copy;
    }

    public ValueTask<T?> InvokeMethodAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        IsOrdinary(reference) ? orleans.InvokeMethodAsync<T>(reference, request, options)
        : IsCarriedAtOnce(reference, request, out var cluster) ? ReadOrCallAsync<T>(reference, request, options, cluster)
        : RoutedCall<T>.Follow(this, reference, request, options, orleans.InvokeMethodAsync<T>(reference, request, options)).AsValueTask();

    public ValueTask InvokeMethodAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        IsOrdinary(reference) ? orleans.InvokeMethodAsync(reference, request, options)
        : options.HasFlag(InvokeMethodOptions.OneWay) ? new ValueTask(SendAsync(reference, request, options))
        : IsCarriedAtOnce(reference, request, out var cluster) ? ReadOrCallAsync(reference, request, options, cluster)
        : RoutedCall<object?>.Follow(this, reference, request, options, orleans.InvokeMethodAsync<object?>(reference, request, options))
            .AsVoidValueTask();

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
    public ValueTask<T?> RerouteAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options, ClusterId cluster)
    {
        routes.Remember(reference.GrainId, cluster);
        return CallAsync<T>(reference, request, options, cluster);
    }

    /// <summary>True for calls that end in this cluster: of other grains, and those that another cluster has carried here.</summary>
    private bool IsOrdinary(GrainReference reference) =>
        (!_isOfSingles && singles.ModeOf(reference.GrainId.Type) is null) || CarriedCall.TakeArrival(reference.GrainId);

    /// <summary>
    /// True when a call need not be tried the ordinary way first. Orleans notes there, and only there, which grains a
    /// <see cref="GrainCancellationToken"/> was given to; the cancellation is then a call like any other, and follows the grain.
    /// </summary>
    private bool IsCarriedAtOnce(GrainReference reference, IInvokable request, out ClusterId cluster)
    {
        cluster = default;
        return routes.Knows(reference.GrainId) && routes.TryGet(reference.GrainId, out cluster) && !CarriesToken(request);
    }

    /// <summary>A read-only call of a grain that is in another cluster: answered by the read replica here, if there is one.</summary>
    private ValueTask<T?> ReadOrCallAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options, ClusterId last) =>
        replicas is not null && options.HasFlag(InvokeMethodOptions.ReadOnly)
            && replicas().TryGet(reference.GrainId, out var replica, out var copy)
            ? ReadAsync<T>(replica, copy, reference, request, options, last)
            : CallAsync<T>(reference, request, options, last);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReadOrCallAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options, ClusterId last) =>
        await ReadOrCallAsync<object?>(reference, request, options, last);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<T?> ReadAsync<T>(
        ReadReplica replica, ReadCopy copy, GrainReference reference, IInvokable request, InvokeMethodOptions options, ClusterId last)
    {
        using var response = await replicas!().ReadAsync(
            replica, copy, request, LongestWait.Clamp(request.GetDefaultResponseTimeout() ?? limits.Timeout));
        return response is not null ? response.GetResult<T>() : await CallAsync<T>(reference, request, options, last);
    }

    /// <summary>Follows a call of a grain that was last in a given cluster.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<T?> CallAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options, ClusterId last)
    {
        var began = time.GetTimestamp();
        var reply = CarriedReply.NotHere;
        CallEvent happened = CallEvent.FoundElsewhere(last);
        for (var call = CallFollowing.Begun; ;)
        {
            (call, var effect) = call.On(happened, limits.Following);
            if (!effect.Forget.IsNone)
            {
                routes.Forget(reference.GrainId, effect.Forget);
            }

            if (effect.Pause > TimeSpan.Zero)
            {
                await Task.Delay(effect.Pause, time);
            }

            switch (effect.Step)
            {
                case CallStep.LookUp:
                    happened = time.GetElapsedTime(began) > (request.GetDefaultResponseTimeout() ?? limits.Timeout) ? CallEventKind.Expired
                        : routes.TryGet(reference.GrainId, out var known) ? CallEvent.FoundElsewhere(known)
                        : CallEventKind.FoundNowhere;
                    break;

                case CallStep.RunHere:
                    try
                    {
                        return await orleans.InvokeMethodAsync<T>(reference, request, options);
                    }
                    catch (GeoRedirectException redirect) when (redirect.Grain == GrainNames.ToKey(reference.GrainId))
                    {
                        routes.Remember(reference.GrainId, redirect.Cluster);
                        happened = CallEvent.FoundElsewhere(redirect.Cluster);
                    }
                    catch (Exception e) when (LostAnswers.Is(e, request))
                    {
                        throw LostAnswers.Tell(e, request, reference.GrainId);
                    }

                    break;

                case CallStep.Carry:
                    last = effect.To;
                    if (options.HasFlag(InvokeMethodOptions.ReadOnly))
                    {
                        replicas?.Invoke().Begin(reference.GrainId);
                    }

                    reply = await calls.CarryAsync(last, reference.GrainId, request);
                    happened = EventOf(reply.Outcome);
                    break;

                case CallStep.RefuseKeepsMoving:
                    throw new GeoUnavailableException(
                        $"The call of {request.GetActivityName()} found no instance of grain '{reference.GrainId}' in {call.Attempts} "
                        + "attempts: it keeps moving from cluster to cluster. It did not run.");

                case CallStep.ReportUnknown:
                    // Perhaps nobody is there any more: the next call looks, which costs it no trip where the directory still knows.
                    routes.Forget(reference.GrainId, last);
                    goto default;

                default:
                    return calls.Read(reply, last, reference.GrainId, request).GetResult<T>();
            }
        }
    }

    /// <summary>
    /// A one-way call would lose the redirect, so a call that does not comes first and follows it. Ends when the call is on its way.
    /// </summary>
    private async Task SendAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        try
        {
            await grains.GetGrain(reference.GrainId).AsReference<IGeoTouch>().TouchAsync();
        }
        catch (GeoOutcomeUnknownException e)
        {
            throw new GeoUnavailableException(
                $"The one-way call of {request.GetActivityName()} on '{reference.GrainId}' did not run: where the grain is was not "
                + "answered.", e);
        }

        if (routes.TryGet(reference.GrainId, out var cluster))
        {
            calls.CarryAsync(cluster, reference.GrainId, request).AsTask().Ignore();
        }
        else
        {
            await orleans.InvokeMethodAsync(reference, request, options);
        }
    }

    /// <summary>What a reply says; that a silo has given an instance up comes as "not here".</summary>
    private static CallEventKind EventOf(CarriedOutcome outcome) => outcome switch
    {
        CarriedOutcome.Answered => CallEventKind.Answered,
        CarriedOutcome.NotHere => CallEventKind.NotThere,
        CarriedOutcome.Refused => CallEventKind.Refused,
        _ => CallEventKind.Unknown,
    };

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
}
