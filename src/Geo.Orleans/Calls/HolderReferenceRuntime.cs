using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Carries calls of coordination-free grains that this cluster has no replica of to one that has: to the first of them, so that calls from
/// here see each other's updates, and to the next one where it certainly did not run there.
/// </summary>
internal sealed class HolderReferenceRuntime(PartialGrains placed, CallSender calls, IGrainReferenceRuntime orleans)
    : IGrainReferenceRuntime
{
    public ValueTask<T?> InvokeMethodAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        IsHere(reference) ? orleans.InvokeMethodAsync<T>(reference, request, options) : CallAsync<T>(reference, request);

    public ValueTask InvokeMethodAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        if (IsHere(reference))
        {
            return orleans.InvokeMethodAsync(reference, request, options);
        }

        var call = SendAsync(reference, request);
        if (!options.HasFlag(InvokeMethodOptions.OneWay))
        {
            return new(call);
        }

        call.Ignore();
        return default;
    }

    public void InvokeMethod(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        if (IsHere(reference))
        {
            orleans.InvokeMethod(reference, request, options);
        }
        else
        {
            SendAsync(reference, request).Ignore();
        }
    }

    public object Cast(IAddressable grain, Type interfaceType) => orleans.Cast(grain, interfaceType);

    private bool IsHere(GrainReference reference) => CarriedCall.TakeArrival(reference.GrainId) || placed.IsHere(reference.GrainId);

    private async ValueTask<T?> CallAsync<T>(GrainReference reference, IInvokable request) =>
        (await SendAsync(reference, request)).GetResult<T>();

    private async Task<Response> SendAsync(GrainReference reference, IInvokable request)
    {
        var (reply, last) = (CarriedReply.NotHere, default(ClusterId));
        foreach (var holder in placed.HoldersOf(reference.GrainId))
        {
            (reply, last) = (await calls.CarryAsync(holder, reference.GrainId, request), holder);
            if (reply.Outcome is not (CarriedOutcome.NotHere or CarriedOutcome.Refused))
            {
                break;
            }
        }

        return calls.Read(reply, last, reference.GrainId, request);
    }
}
