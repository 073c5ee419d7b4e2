using System.Runtime.CompilerServices;

namespace Geo.Messaging;

/// <summary>
/// Awaits a receive, and while nothing is there runs what came before on the thread that would else go idle. Whoever is resumed by the
/// receive goes on elsewhere meanwhile, so that what runs here may take its time.
/// </summary>
internal readonly struct Reception(ValueTask<int> receive, IFrameSink sink) : ICriticalNotifyCompletion
{
    private readonly ValueTaskAwaiter<int> _receive = receive.GetAwaiter();

    public bool IsCompleted
    {
        get
        {
            var completed = _receive.IsCompleted;
            if (completed)
            {
                sink.TakeWork().RunInPool();
            }

            return completed;
        }
    }

    public Reception GetAwaiter() => this;

    public int GetResult() => _receive.GetResult();

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation)
    {
        // Taken before the receive can go on elsewhere.
        var work = sink.TakeWork();
        _receive.UnsafeOnCompleted(continuation);

        // A socket's completions may have been told to run on the thread that polls all sockets, which is not to be held up.
        if (Thread.CurrentThread.IsThreadPoolThread)
        {
            work.RunHere();
        }
        else
        {
            work.RunInPool();
        }
    }
}
