using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Stands before the grains in which Orleans keeps the explicit subscriptions of a stream, and refuses those of single-instance grains:
/// each cluster has subscriptions of its own, so that an instance that moves would be sent what it does not expect, and miss the rest.
/// </summary>
internal sealed class SubscriptionReferenceRuntime(GlobalSingleGrains singles, IGrainReferenceRuntime orleans) : IGrainReferenceRuntime
{
    private const string Subscribe = "RegisterConsumer";

    /// <summary>The type of the grains that keep the subscriptions.</summary>
    public static readonly GrainType Subscriptions = GrainType.Create("pubsubrendezvous");

    public ValueTask<T?> InvokeMethodAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        orleans.InvokeMethodAsync<T>(reference, request, options);

    public ValueTask InvokeMethodAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        request.GetMethodName() == Subscribe && Refused(request) is { } subscriber
            ? ValueTask.FromException(new NotSupportedException(
                $"Grain '{subscriber}' is [GlobalSingleInstance] and cannot subscribe to a stream: the subscription would belong to the "
                + "cluster that "
                + "its instance is in now, and would be lost when it moves. Let an ordinary grain in each cluster subscribe, and call "
                + "this one."))
            : orleans.InvokeMethodAsync(reference, request, options);

    public void InvokeMethod(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        orleans.InvokeMethod(reference, request, options);

    public object Cast(IAddressable grain, Type interfaceType) => orleans.Cast(grain, interfaceType);

    private GrainId? Refused(IInvokable request)
    {
        for (var i = 0; i < request.GetArgumentCount(); i++)
        {
            if (request.GetArgument(i) is GrainId subscriber && singles.ModeOf(subscriber.Type) is not null)
            {
                return subscriber;
            }
        }

        return null;
    }
}
