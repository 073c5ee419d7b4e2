using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>Carries calls of another cluster's ordinary grains and observers to that cluster.</summary>
internal sealed class AbroadReferenceRuntime(CallSender calls, IGrainReferenceRuntime orleans) : IGrainReferenceRuntime
{
    public async ValueTask<T?> InvokeMethodAsync<T>(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        (await SendAsync(reference, request)).GetResult<T>();

    public ValueTask InvokeMethodAsync(GrainReference reference, IInvokable request, InvokeMethodOptions options)
    {
        if (options.HasFlag(InvokeMethodOptions.OneWay))
        {
            InvokeMethod(reference, request, options);
            return default;
        }

        return new(SendAsync(reference, request).AsTask());
    }

    /// <summary>One-way calls of one caller leave in the order in which they are made.</summary>
    public void InvokeMethod(GrainReference reference, IInvokable request, InvokeMethodOptions options) =>
        SendAsync(reference, request).AsTask().Ignore();

    public object Cast(IAddressable grain, Type interfaceType) => orleans.Cast(grain, interfaceType);

    private async ValueTask<Response> SendAsync(GrainReference reference, IInvokable request)
    {
        var (home, atHome) = AbroadNames.FromAbroad(reference.GrainId);
        return calls.Read(await calls.CarryAsync(home, atHome, request), home, atHome, request);
    }
}
