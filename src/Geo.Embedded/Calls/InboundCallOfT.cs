using Geo.Directory;

namespace Geo.Embedded;

/// <summary>A call that arrived from another process.</summary>
internal sealed class InboundCall<TResult> : InboundCall
{
    private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _reply = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly GrainMethod<TResult> _method;
    private object?[] _arguments;

    public InboundCall(
        GrainMethod<TResult> method, in CallHeader header, object?[] arguments, ICallSender sender, CancellationToken cancellationToken)
        : base(method, header.Target, header.Callers, header.Values, sender)
    {
        _method = method;
        _arguments = arguments;
        Way = header.IsForwarded ? CallFollowing.Arrived : CallFollowing.Begun;
        Cancellation = cancellationToken;
        AnswerDueAt = sender.Deadlines.After(header.Timeout);
        ChainDueAt = sender.Deadlines.After(header.ChainTimeout);
    }

    public override void Start()
    {
        if (!Method.IsOneWay)
        {
            if (!Way.IsArrived)
            {
                Begin();
            }

            Sender.Deadlines.Add(this, AnswerDueAt);
        }
    }

    public override CancellationToken Cancellation { get; }

    public override Task<ReadOnlyMemory<byte>> Reply => _reply.Task;

    public override bool HasEnded => _reply.Task.IsCompleted;

    public override bool IsWanted()
    {
        if (Cancellation.IsCancellationRequested)
        {
            TryFail(new OperationCanceledException($"{this} was cancelled before its turn came; it was not executed."));
        }
        else if (Sender.Deadlines.Time.GetTimestamp() > AnswerDueAt)
        {
            TryFail(new GeoUnavailableException($"{this} waited for its turn until its caller had given up; it was not executed."));
        }

        return !HasEnded;
    }

    public override async ValueTask RunAsync(object grain)
    {
        // Before it is known that the call has not ended: they are released when it has.
        var arguments = _arguments;
        if (HasEnded)
        {
            return;
        }

        var frame = Enter();
        try
        {
            var result = await _method.Invoke(grain, arguments);
            HasReturned = true;
            if (Guard is { MayServe: false } guard && !SwitchedOff.Is(ProtocolRule.LeaseIsAskedAgain) && !await guard.MayServeSoonAsync())
            {
                TryFail(LeaseRefusals.NotConfirmed(Target));
                return;
            }

            if (MissesCopy())
            {
                return;
            }

            Answer(CallReply.Success(_method.Result, result, Sender.Serializer));
        }
        catch (Exception e)
        {
            if (!MissesCopy(e))
            {
                HasReturned = true;
                TryFail(e);
            }
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

        return TryEnd(CallReply.Failure(exception, Sender.Around.TellsStackTraces), exception);
    }

    public override void Answer(ReadOnlyMemory<byte> reply) => TryEnd(reply);

    public override void NotHere() => TryEnd(CallReply.NotHere);

    public override void WriteArguments(PayloadWriter writer)
    {
        var arguments = _arguments;
        if (HasEnded)
        {
            throw new OperationCanceledException($"{this} was given up before it was sent on.");
        }

        Method.WriteArguments(writer, arguments, Sender.Serializer);
    }

    private bool TryEnd(ReadOnlyMemory<byte> reply, Exception? failure = null)
    {
        if (!_reply.TrySetResult(reply))
        {
            return false;
        }

        Measure(failure);
        _arguments = Release(_arguments);
        Sender.Deadlines.Remove(this);
        return true;
    }
}
