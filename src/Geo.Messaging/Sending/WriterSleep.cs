using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>The sleep of a lane's writer. Its owner sees to it that whoever finds the writer asleep ends the sleep, once.</summary>
internal sealed class WriterSleep(TimeProvider time) : IValueTaskSource<bool>, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<bool> _wake;
    private QueueRoom _waiting = null!;
    private long _woken;
    private int _seen;

    public ValueTask<bool> Begin()
    {
        _wake.Reset();
        return new(this, _wake.Version);
    }

    /// <summary>Lets the writer send within the call.</summary>
    public void End() => _wake.SetResult(true);

    /// <summary>
    /// Lets the writer send in the pool, behind what waits for a thread already: handlers that go on there, one by one, have their replies
    /// sent together. As long as there is more to send each time its turn comes, and for no longer than a <see cref="Burst.Slice"/>, it
    /// goes behind what waits by then.
    /// </summary>
    public void EndInPool(QueueRoom waiting)
    {
        Wake(waiting);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>The writer was woken.</summary>
    internal void Wake(QueueRoom waiting) => (_waiting, _seen, _woken) = (waiting, waiting.Messages, time.GetTimestamp());

    /// <summary>True when the writer, whose turn it is, goes behind what waits by now.</summary>
    internal bool LetsOthersGoFirst()
    {
        var (seen, messages) = (_seen, _waiting.Messages);
        _seen = messages;
        return messages > seen && _waiting.Bytes < OutboundQueue.BytesToGather && time.GetElapsedTime(_woken) < Burst.Slice;
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (LetsOthersGoFirst())
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return;
        }

        End();
    }

    bool IValueTaskSource<bool>.GetResult(short token) => _wake.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _wake.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wake.OnCompleted(continuation, state, token, flags);
}
