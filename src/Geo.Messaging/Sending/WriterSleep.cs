using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>The sleep of a lane's writer. Its owner sees to it that whoever finds the writer asleep ends the sleep, once.</summary>
internal sealed class WriterSleep : IValueTaskSource<bool>, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<bool> _wake;
    private bool _hasMore;

    public ValueTask<bool> Begin()
    {
        _wake.Reset();
        return new(this, _wake.Version);
    }

    /// <param name="here">True to let the writer send within the call, false to let it send in the pool.</param>
    /// <param name="hasMore">What the sleep ends with.</param>
    public void End(bool here, bool hasMore = true)
    {
        _hasMore = hasMore;
        if (here)
        {
            _wake.SetResult(hasMore);
        }
        else
        {
            // Behind what waits for a thread already: handlers that go on there, one by one, have their replies sent together.
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute() => _wake.SetResult(_hasMore);

    bool IValueTaskSource<bool>.GetResult(short token) => _wake.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _wake.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wake.OnCompleted(continuation, state, token, flags);
}
