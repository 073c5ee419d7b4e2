using Geo.Directory;

namespace Geo.Embedded;

/// <summary>A call made in this process.</summary>
internal sealed class LocalCall<TResult> : GrainCall
{
    private readonly TaskCompletionSource<TResult> _promise = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly GrainMethod<TResult> _method;
    private object?[] _arguments;
    private CancellationTokenRegistration _cancellation;

    public LocalCall(GrainMethod<TResult> method, GrainKey target, object?[] arguments, ICallSender sender)
        : base(method, target, CallScope.Frame?.Chain, CallScope.Values, sender)
    {
        _method = method;
        _arguments = arguments;
    }

    /// <summary>The caller's task.</summary>
    public Task<TResult> Promise => _promise.Task;

    public override CancellationToken Cancellation => Method.TokenIndex >= 0 ? (CancellationToken)_arguments[Method.TokenIndex]! : default;

    /// <summary>Sends the call and begins to wait.</summary>
    public void Start()
    {
        var dueAt = AnswerDueAt = Sender.Deadlines.After(Method.Timeout ?? Sender.RequestTimeout);
        ChainDueAt = CallScope.Frame is { } frame ? Math.Min(dueAt, frame.Turn.ChainDueAt) : dueAt;
        if (Method.IsOneWay)
        {
            _promise.SetResult(default!);
        }
        else
        {
            Begin();
            Sender.Deadlines.Add(this, dueAt);
            var token = Cancellation;
            if (token.CanBeCanceled)
            {
                _cancellation = token.UnsafeRegister(static (call, _) => ((LocalCall<TResult>)call!).Cancel(), this);
            }
        }

        if (IsWanted())
        {
            Sender.Send(this);
        }
    }

    public override bool HasEnded => !Method.IsOneWay && _promise.Task.IsCompleted;

    public override bool IsWanted() => !HasEnded;

    public override async ValueTask RunAsync(object grain)
    {
        // Before it is known that the call is wanted: they are released when it is not.
        var arguments = _arguments;
        if (!IsWanted())
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

            Succeed(Sender.SharesMemory ? _method.Result.Copy(result, Sender.Serializer) : result);
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
            return false;
        }

        return _promise.TrySetException(exception) && GivenUp(exception);
    }

    public override void Answer(ReadOnlyMemory<byte> reply)
    {
        try
        {
            var reader = new PayloadReader(reply.Span);
            if (CallReply.ReadSuccess(ref reader, Sender.Exceptions) is { } failure)
            {
                TryFail(failure);
            }
            else
            {
                Succeed(_method.Result.Read(ref reader, Sender.Serializer));
            }
        }
        catch (GeoSerializationException e)
        {
            TryFail(new GeoSerializationException($"The result of {this} cannot be read: {e.Message}", e));
        }
    }

    public override void WriteArguments(PayloadWriter writer)
    {
        var arguments = _arguments;
        if (!IsWanted())
        {
            throw new OperationCanceledException($"{this} was given up before it was sent.");
        }

        Method.WriteArguments(writer, arguments, Sender.Serializer);
    }

    private void Succeed(TResult result) => _ = _promise.TrySetResult(result) && Ended(null);

    private void Cancel()
    {
        if (_promise.TrySetCanceled(Cancellation))
        {
            GivenUp(new OperationCanceledException());
            At?.Drop(this);
        }
    }

    private bool GivenUp(Exception why)
    {
        _arguments = Release(_arguments);
        return Ended(why);
    }

    private bool Ended(Exception? failure)
    {
        Measure(failure);
        Sender.Deadlines.Remove(this);
        _cancellation.Unregister();
        return true;
    }
}
