using System.Reflection;
using System.Runtime.CompilerServices;
using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// A request on its way to a single-instance grain, which runs only while the silo holds its lease and answers only if it still does
/// when the grain has ended: a silo that is frozen in the middle of a call must not confirm it after others have taken over the grain.
/// </summary>
internal sealed class LeasedRequest(IInvokable request, LeasedContext activation) : IRequest
{
    /// <summary>The caller's request.</summary>
    public IInvokable Request => request;

    public InvokeMethodOptions Options => request is IRequest typed ? typed.Options : InvokeMethodOptions.None;

    public bool IsCancellable => request.IsCancellable;

    public ValueTask<Response> Invoke()
    {
        if (!activation.Lease.IsHeld)
        {
            return new(Response.FromException(SiloLease.NotServed(activation.GrainId)));
        }

        var running = request.Invoke();
        return running.IsCompletedSuccessfully ? new(Affirm(running.Result)) : AffirmAsync(running);
    }

    public object? GetTarget() => request.GetTarget();

    public void SetTarget(ITargetHolder holder) => request.SetTarget(holder);

    public int GetArgumentCount() => request.GetArgumentCount();

    public object? GetArgument(int index) => request.GetArgument(index);

    public void SetArgument(int index, object value) => request.SetArgument(index, value);

    public string GetMethodName() => request.GetMethodName();

    public string GetInterfaceName() => request.GetInterfaceName();

    public string GetActivityName() => request.GetActivityName();

    public MethodInfo GetMethod() => request.GetMethod();

    public Type GetInterfaceType() => request.GetInterfaceType();

    public TimeSpan? GetDefaultResponseTimeout() => request.GetDefaultResponseTimeout();

    public CancellationToken GetCancellationToken() => request.GetCancellationToken();

    public bool TryCancel() => request.TryCancel();

    public void AddInvokeMethodOptions(InvokeMethodOptions options) => (request as IRequest)?.AddInvokeMethodOptions(options);

    public void Dispose() => request.Dispose();

    public override string? ToString() => request.ToString();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Response> AffirmAsync(ValueTask<Response> running) => Affirm(await running);

    private Response Affirm(Response response)
    {
        if (activation.Lease.IsHeld)
        {
            return response;
        }

        response.Dispose();
        return Response.FromException(SiloLease.NotConfirmed(activation.GrainId));
    }
}
