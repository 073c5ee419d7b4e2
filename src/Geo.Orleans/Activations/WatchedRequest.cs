using System.Reflection;
using System.Runtime.CompilerServices;
using Geo.Directory;
using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// A request on its way to a grain. That of a single-instance grain runs only while the silo holds its lease and answers only if it still
/// does when the grain has ended: a silo that is frozen in the middle of a call must not confirm it after others have taken over the grain.
/// That of a journaled grain is known to the code that it runs, so that its waits for the journal end with it and let read-only ones in.
/// </summary>
internal sealed class WatchedRequest : IRequest
{
    private readonly IInvokable _request;
    private readonly WatchedContext _activation;

    public WatchedRequest(IInvokable request, WatchedContext activation, bool isInterleaved)
    {
        (_request, _activation) = (request, activation);
        if (Waits is null)
        {
            return;
        }

        IsReadOnly = !isInterleaved && (Options & InvokeMethodOptions.ReadOnly) != 0;
        IsExclusive = !isInterleaved && !IsReadOnly && (Options & InvokeMethodOptions.AlwaysInterleave) == 0;
        if (IsReadOnly)
        {
            Waits.ReaderCame();
        }
    }

    /// <summary>The caller's request.</summary>
    public IInvokable Request => _request;

    /// <summary>The activation that it is to run on.</summary>
    public WatchedContext Activation => _activation;

    public InvokeMethodOptions Options => _request is IRequest typed ? typed.Options : InvokeMethodOptions.None;

    public bool IsCancellable => _request.IsCancellable;

    /// <summary>True when it runs beside other read-only ones. Known where there are waits for the journal.</summary>
    public bool IsReadOnly { get; }

    /// <summary>True when it runs alone. Known where there are waits for the journal.</summary>
    public bool IsExclusive { get; }

    /// <summary>The waits for the grain's journal; null where nobody asks.</summary>
    public JournalWaits? Waits => _activation.Waits;

    /// <summary>In how many of these waits it is.</summary>
    public int WaitsForJournal { get; set; }

    /// <summary>True when it is over; what it left running in the background is no part of it.</summary>
    public bool HasEnded { get; private set; }

    public ValueTask<Response> Invoke()
    {
        if (_activation.Guard is { MayServe: false } guard)
        {
            return InvokeSoonAsync(guard);
        }

        return InvokeNow();
    }

    /// <summary>A silo that stood still renews its lease first.</summary>
    private async ValueTask<Response> InvokeSoonAsync(ILeaseGuard guard)
    {
        if (await guard.MayServeSoonAsync())
        {
            return await InvokeNow();
        }

        if (IsReadOnly)
        {
            Waits?.ReaderStarted();
        }

        return Response.FromException(LeaseRefusals.NotServed(GrainNames.ToKey(_activation.GrainId)));
    }

    private ValueTask<Response> InvokeNow()
    {
        _activation.Callers?.Note(CarriedCall.TakeOrigin());
        var running = _activation.Waits is { } waits ? Run(waits) : _request.Invoke();
        return _activation.Guard is not { } guard ? running
            : running.IsCompletedSuccessfully && guard.MayServe ? running
            : AffirmAsync(running, guard);
    }

    public object? GetTarget() => _request.GetTarget();

    public void SetTarget(ITargetHolder holder) => _request.SetTarget(holder);

    public int GetArgumentCount() => _request.GetArgumentCount();

    public object? GetArgument(int index) => _request.GetArgument(index);

    public void SetArgument(int index, object value) => _request.SetArgument(index, value);

    public string GetMethodName() => _request.GetMethodName();

    public string GetInterfaceName() => _request.GetInterfaceName();

    public string GetActivityName() => _request.GetActivityName();

    public MethodInfo GetMethod() => _request.GetMethod();

    public Type GetInterfaceType() => _request.GetInterfaceType();

    public TimeSpan? GetDefaultResponseTimeout() => _request.GetDefaultResponseTimeout();

    public CancellationToken GetCancellationToken() => _request.GetCancellationToken();

    public bool TryCancel() => _request.TryCancel();

    public void AddInvokeMethodOptions(InvokeMethodOptions options) => (_request as IRequest)?.AddInvokeMethodOptions(options);

    public void Dispose() => _request.Dispose();

    public override string? ToString() => _request.ToString();

    private ValueTask<Response> Run(JournalWaits waits)
    {
        if (IsReadOnly)
        {
            waits.ReaderStarted();
        }

        var outer = JournalWaits.Enter(this);
        try
        {
            var running = _request.Invoke();
            if (!running.IsCompleted)
            {
                return EndAsync(running, waits);
            }

            End(waits);
            return running;
        }
        finally
        {
            JournalWaits.Enter(outer);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Response> EndAsync(ValueTask<Response> running, JournalWaits waits)
    {
        try
        {
            return await running;
        }
        finally
        {
            End(waits);
        }
    }

    private void End(JournalWaits waits)
    {
        waits.Ended(this);
        HasEnded = true;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Response> AffirmAsync(ValueTask<Response> running, ILeaseGuard guard)
    {
        var response = await running;
        if (await guard.MayServeSoonAsync())
        {
            return response;
        }

        response.Dispose();
        return Response.FromException(LeaseRefusals.NotConfirmed(GrainNames.ToKey(_activation.GrainId)));
    }
}
