namespace Geo.Messaging;

/// <summary>
/// When to look for requests whose time is over: one look serves deadlines that fall close together. To be used under its owner's lock.
/// </summary>
internal sealed class RequestDeadlines : IDisposable
{
    private static readonly TimeSpan ShortestWait = TimeSpan.FromMilliseconds(2);

    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private long _nextLook = long.MaxValue;

    /// <param name="time">The clock.</param>
    /// <param name="look">Called, without the lock, when it is time to ask what has <see cref="Passed"/>.</param>
    public RequestDeadlines(TimeProvider time, Action look)
    {
        _time = time;
        _timer = time.CreateTimer(static look => ((Action)look!)(), look, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The deadline of a request that is made now, as a timestamp of the clock; sees to it that somebody looks then.</summary>
    public long After(TimeSpan timeout)
    {
        var deadline = _time.GetTimestamp() + (long)(timeout.TotalSeconds * _time.TimestampFrequency);
        if (deadline < _nextLook)
        {
            _nextLook = deadline;
            _timer.Change(timeout, Timeout.InfiniteTimeSpan);
        }

        return deadline;
    }

    /// <summary>The requests whose deadlines have passed; somebody looks again for the others.</summary>
    public List<PendingRequest> Passed(IEnumerable<PendingRequest> waiting)
    {
        List<PendingRequest> passed = [];
        var now = _time.GetTimestamp();
        _nextLook = long.MaxValue;
        foreach (var request in waiting)
        {
            if (request.Deadline <= now)
            {
                passed.Add(request);
            }
            else
            {
                _nextLook = Math.Min(_nextLook, request.Deadline);
            }
        }

        if (_nextLook != long.MaxValue)
        {
            var wait = _time.GetElapsedTime(now, _nextLook);
            _timer.Change(wait > ShortestWait ? wait : ShortestWait, Timeout.InfiniteTimeSpan);
        }

        return passed;
    }

    public void Dispose() => _timer.Dispose();
}
