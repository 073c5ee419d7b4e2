using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>
/// Users' code that runs between two receives of a lane, on the thread that received: handing it to another thread costs more than most of
/// it. The receive loop does not wait for code that takes its time: once it is <see cref="Cut"/>, the loop goes on in the pool beside it.
/// One loop awaits it, so that what is received stays in order whichever thread receives.
/// </summary>
internal sealed class Interlude : IValueTaskSource
{
    private IThreadPoolWorkItem? _work;
    private Action<object?>? _loop;
    private object? _loopState;

    /// <summary>
    /// Runs work within the await of what it returns, which ends with the work or when it is cut. For the receive loop alone.
    /// </summary>
    public ValueTask RunAsync(IThreadPoolWorkItem work)
    {
        // A socket's completions may have been told to run on the thread that polls all sockets, which is not to be held up.
        if (!Thread.CurrentThread.IsThreadPoolThread)
        {
            ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
            return default;
        }

        _work = work;
        return new ValueTask(this, 0);
    }

    /// <summary>Lets the receive loop go on in the pool, unless it does already. From any thread.</summary>
    public void Cut()
    {
        if (Interlocked.Exchange(ref _loop, null) is { } loop)
        {
            ThreadPool.UnsafeQueueUserWorkItem(loop, _loopState, preferLocal: false);
        }
    }

    void IValueTaskSource.GetResult(short token)
    {
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => ValueTaskSourceStatus.Pending;

    // The loop has been suspended by now, and is whoever's first takes it out again.
    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _loopState = state;
        Volatile.Write(ref _loop, continuation);
        _work!.Execute();

        // What users' code may leave behind on the thread is not the loop's.
        SynchronizationContext.SetSynchronizationContext(null);
        if (Interlocked.Exchange(ref _loop, null) is { } loop)
        {
            loop(state);
        }
    }
}
