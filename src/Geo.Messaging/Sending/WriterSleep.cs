using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>The sleep of a lane's writer. Its owner sees to it that whoever finds the writer asleep ends the sleep, once.</summary>
internal sealed class WriterSleep(TimeProvider time) : IValueTaskSource<bool>, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<bool> _wake;
    private QueueRoom _waiting = null!;
    private long _woken;
    private int _seen;
    private bool _hasMore;

    public ValueTask<bool> Begin()
    {
        _wake.Reset();
        return new(this, _wake.Version);
    }

    /// <summary>Lets the writer send within the call.</summary>
    public void End(bool hasMore = true) => _wake.SetResult(hasMore);

    /// <summary>
    /// Lets the writer send in the pool, behind what waits for a thread already: handlers that go on there, one by one, have their replies
    /// sent together. As long as there is more to send each time its turn comes, and for no longer than a <see cref="Burst.Slice"/>, it
    /// goes behind what waits by then.
    /// </summary>
    /// <param name="waiting">What is to be sent.</param>
    /// <param name="hasMore">What the sleep ends with.</param>
    public void EndInPool(QueueRoom waiting, bool hasMore = true)
    {
        (_waiting, _hasMore, _seen, _woken) = (waiting, hasMore, waiting.Messages, time.GetTimestamp());
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        var (seen, messages) = (_seen, _waiting.Messages);
        if (messages > seen && _waiting.Bytes < OutboundQueue.BytesToGather && time.GetElapsedTime(_woken) < Burst.Slice)
        {
            _seen = messages;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return;
        }

        _wake.SetResult(_hasMore);
    }

    bool IValueTaskSource<bool>.GetResult(short token) => _wake.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _wake.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wake.OnCompleted(continuation, state, token, flags);
}
