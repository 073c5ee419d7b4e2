using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>One request that waits for its reply; reused once its requester has seen the end.</summary>
internal sealed class PendingRequest(PendingRequests owner) : IValueTaskSource<ClusterReply>
{
    private static readonly object Over = new();

    private ManualResetValueTaskSourceCore<ClusterReply> _end;
    private CancellationTokenRegistration _cancellation;
    private ClusterReply _reply;

    // The message that sends from the requester's own memory; Over when the request has ended.
    private object? _loan;

    public ulong Number { get; set; }

    /// <summary>When to stop waiting, as a timestamp of the clock.</summary>
    public long Deadline { get; set; }

    public TimeSpan Timeout { get; set; }

    /// <summary>Where in the lane's stream the request starts; 0, which counts as sent, until it is known.</summary>
    public long Position { get; set; }

    /// <summary>The end of the request, to be awaited once.</summary>
    public ValueTask<ClusterReply> End => new(this, _end.Version);

    /// <summary>
    /// Sees to it that a message which sends from the requester's memory does so no longer when the request ends; null is none.
    /// </summary>
    public void Lend(OutgoingMessage? loan)
    {
        if (loan is not null && Interlocked.CompareExchange(ref _loan, loan, null) is not null)
        {
            loan.EndLoan();
        }
    }

    public void CancelWith(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _cancellation = cancellationToken.UnsafeRegister(
                static (state, token) =>
                {
                    var request = (PendingRequest)state!;
                    request.Owner.Cancel(request, token);
                },
                this);
        }
    }

    /// <summary>Ends the request and lets the requester go on in the pool; called once, by whoever took it out of the table.</summary>
    public void Complete(ClusterReply reply)
    {
        EndLoan();
        _end.RunContinuationsAsynchronously = true;
        _end.SetResult(reply);
    }

    /// <summary>Notes how the request is to end; called by whoever took it out of the table.</summary>
    public void Prepare(ClusterReply reply) => _reply = reply;

    /// <summary>Ends the request as was noted; the requester goes on within the call, unless it awaits on a scheduler of its own.</summary>
    public void CompleteHere()
    {
        var reply = _reply;
        _reply = default;
        EndLoan();
        _end.RunContinuationsAsynchronously = false;
        _end.SetResult(reply);
    }

    /// <summary>Ends the request as given up by its requester.</summary>
    public void Fail(OperationCanceledException error)
    {
        EndLoan();
        _end.RunContinuationsAsynchronously = true;
        _end.SetException(error);
    }

    ClusterReply IValueTaskSource<ClusterReply>.GetResult(short token)
    {
        // Waits out a cancellation that is just running, so that it cannot hit the request's next life.
        _cancellation.Dispose();
        _cancellation = default;
        try
        {
            return _end.GetResult(token);
        }
        finally
        {
            _end.Reset();
            _loan = null;
            Owner.Reuse(this);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<ClusterReply>.GetStatus(short token) => _end.GetStatus(token);

    void IValueTaskSource<ClusterReply>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _end.OnCompleted(continuation, state, token, flags);

    private PendingRequests Owner { get; } = owner;

    private void EndLoan()
    {
        if (Interlocked.Exchange(ref _loan, Over) is OutgoingMessage loan)
        {
            loan.EndLoan();
        }
    }
}
