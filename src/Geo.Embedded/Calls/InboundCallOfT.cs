namespace Geo.Embedded;

/// <summary>A call that arrived from another process.</summary>
internal sealed class InboundCall<TResult> : InboundCall
{
    private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _reply = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly GrainMethod<TResult> _method;
    private readonly object?[] _arguments;

    public InboundCall(
        GrainMethod<TResult> method, in CallHeader header, object?[] arguments, ICallSender sender, CancellationToken cancellationToken)
        : base(method, header.Target, header.Callers, header.Values, sender)
    {
        _method = method;
        _arguments = arguments;
        IsForwarded = header.IsForwarded;
        Cancellation = cancellationToken;
        AnswerDueAt = sender.Deadlines.After(header.Timeout);
        ChainDueAt = sender.Deadlines.After(header.ChainTimeout);
    }

    public override bool IsForwarded { get; }

    public override CancellationToken Cancellation { get; }

    public override Task<ReadOnlyMemory<byte>> Reply => _reply.Task;

    public override bool IsWanted()
    {
        if (Cancellation.IsCancellationRequested)
        {
            TryFail(new OperationCanceledException($"{this} was cancelled before its turn came; it was not executed."));
        }
        else if (Sender.Deadlines.Time.GetTimestamp() > AnswerDueAt)
        {
            TryFail(new GeoTimeoutException($"{this} waited for its turn until its caller had given up; it was not executed."));
        }

        return !_reply.Task.IsCompleted;
    }

    public override async ValueTask RunAsync(object grain)
    {
        var frame = Enter();
        try
        {
            var result = await _method.Invoke(grain, _arguments);
            _reply.TrySetResult(CallReply.Success(_method.Result, result, Sender.Serializer));
        }
        catch (Exception e)
        {
            TryFail(e);
        }
        finally
        {
            frame.End();
        }
    }

    public override bool TryFail(Exception exception)
    {
        if (Method.IsOneWay)
        {
            Sender.OneWayFailed(this, exception);
        }

        return _reply.TrySetResult(CallReply.Failure(exception)) && Ended();
    }

    public override void Answer(ReadOnlyMemory<byte> reply) => _ = _reply.TrySetResult(reply) && Ended();

    public override void NotHere() => _ = _reply.TrySetResult(CallReply.NotHere) && Ended();

    public override void WriteArguments(PayloadWriter writer) => Method.WriteArguments(writer, _arguments, Sender.Serializer);

    private bool Ended()
    {
        Sender.Deadlines.Remove(this);
        return true;
    }
}
