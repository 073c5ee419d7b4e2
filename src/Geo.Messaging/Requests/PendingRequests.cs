namespace Geo.Messaging;

/// <summary>
/// The requests of one lane that wait for replies. Every request is ended exactly once, by whoever takes it out of the table: its reply,
/// its time-out, its requester, or the lane's end.
/// </summary>
internal sealed class PendingRequests : IDisposable
{
    private const int MaxSpare = 1024;

    private readonly Lock _lock = new();
    private readonly Dictionary<ulong, PendingRequest> _waiting = [];
    private readonly Stack<PendingRequest> _spare = new();
    private readonly RequestDeadlines _deadlines;
    private readonly CountLimit _limit;
    private readonly Action<ulong> _givenUp;
    private readonly Func<string> _remote;
    private ulong _lastNumber;
    private bool _closed;

    public PendingRequests(TimeProvider time, CountLimit limit, Func<string> remote, Action<ulong> givenUp)
    {
        (_limit, _remote, _givenUp) = (limit, remote, givenUp);
        _deadlines = new RequestDeadlines(time, EndExpired);
    }

    /// <summary>Enters a request; null when as many wait as may, or the lane has ended.</summary>
    public PendingRequest? TryAdd(TimeSpan timeout)
    {
        lock (_lock)
        {
            if (_closed || !_limit.TryEnter())
            {
                return null;
            }

            var request = _spare.TryPop(out var spare) ? spare : new PendingRequest(this);
            request.Timeout = timeout;
            request.Deadline = _deadlines.After(timeout);
            request.Position = 0;
            request.Number = ++_lastNumber;
            _waiting.Add(request.Number, request);
            return request;
        }
    }

    /// <summary>Takes a request out, so that the caller ends it; null when it has been ended.</summary>
    public PendingRequest? Take(ulong number)
    {
        lock (_lock)
        {
            return Remove(number);
        }
    }

    /// <summary>Takes a request back that was not sent and that nobody awaits.</summary>
    public void Withdraw(ulong number)
    {
        if (Take(number) is { } request)
        {
            Reuse(request);
        }
    }

    public void Cancel(PendingRequest request, CancellationToken cancellationToken)
    {
        var number = request.Number;
        if (Take(number) is { } taken)
        {
            _givenUp(number);
            taken.Fail(new OperationCanceledException(cancellationToken));
        }
    }

    public void Reuse(PendingRequest request)
    {
        lock (_lock)
        {
            if (!_closed && _spare.Count < MaxSpare)
            {
                _spare.Push(request);
            }
        }
    }

    /// <summary>Ends all requests and takes no more.</summary>
    public void Close(Func<PendingRequest, ClusterReply> end)
    {
        PendingRequest[] left;
        lock (_lock)
        {
            _closed = true;
            left = [.. _waiting.Values];
            Array.ForEach(left, request => Remove(request.Number));
        }

        foreach (var request in left)
        {
            request.Complete(end(request));
        }
    }

    public void Dispose() => _deadlines.Dispose();

    private void EndExpired()
    {
        List<PendingRequest> expired;
        lock (_lock)
        {
            expired = _closed ? [] : _deadlines.Passed(_waiting.Values);
            expired.ForEach(request => Remove(request.Number));
        }

        foreach (var request in expired)
        {
            _givenUp(request.Number);
            request.Complete(ClusterReply.Unknown($"{_remote()} did not reply within {request.Timeout.TotalSeconds:0.###} s"));
        }
    }

    private PendingRequest? Remove(ulong number)
    {
        if (!_waiting.Remove(number, out var request))
        {
            return null;
        }

        _limit.Leave();
        return request;
    }
}
