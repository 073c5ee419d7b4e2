namespace Geo.Testing.Wan;

/// <summary>
/// Delays that end within about a millisecond, and when the thread gets to run. The platform's timers go by a coarse clock, which on many
/// kernels moves on every 4 ms: a link of 40 ms would be one of 42, and now and then of 46.
/// </summary>
internal static class FineDelay
{
    private static readonly Lock Gate = new();
    private static readonly PriorityQueue<TaskCompletionSource, long> Waiting = new();
    private static readonly AutoResetEvent Earlier = new(initialState: false);
    private static bool _isRunning;

    /// <summary>Ends when a time of the real clock has come, not before.</summary>
    public static Task WaitUntilAsync(long timestamp, CancellationToken cancellationToken)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isFirst;
        lock (Gate)
        {
            isFirst = !Waiting.TryPeek(out _, out var first) || timestamp < first;
            Waiting.Enqueue(ended, timestamp);
            if (!_isRunning)
            {
                new Thread(Run) { IsBackground = true, Name = "emulated distances" }.UnsafeStart();
                _isRunning = true;
            }
        }

        if (isFirst)
        {
            Earlier.Set();
        }

        return ended.Task.WaitAsync(cancellationToken);
    }

    private static void Run()
    {
        while (true)
        {
            // An event's wait goes by the fine clock, in whole milliseconds.
            Earlier.WaitOne(EndDue());
        }
    }

    /// <returns>How many milliseconds until the next is due; -1 where nobody waits.</returns>
    private static int EndDue()
    {
        lock (Gate)
        {
            while (Waiting.TryPeek(out var first, out var due))
            {
                var left = TimeProvider.System.GetElapsedTime(TimeProvider.System.GetTimestamp(), due);
                if (left > TimeSpan.Zero)
                {
                    return (int)Math.Ceiling(left.TotalMilliseconds);
                }

                Waiting.Dequeue();
                first.SetResult();
            }

            return Timeout.Infinite;
        }
    }
}
