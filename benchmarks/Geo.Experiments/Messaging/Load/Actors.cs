using System.Diagnostics;

namespace Geo.Experiments.Messaging.Load;

/// <summary>Actors in a closed loop: each starts its next operation when its last has ended. They go on until the process ends.</summary>
internal sealed class Actors
{
    private readonly Window _window;
    private readonly List<long>[] _times;
    private readonly TaskCompletionSource _failed = new();

    private Actors(int count, Window window)
    {
        _window = window;
        _times = [.. Enumerable.Range(0, count).Select(_ => new List<long>())];
    }

    /// <summary>Ends only in an exception: that of the first operation that failed.</summary>
    public Task Failed => _failed.Task;

    /// <param name="count">How many.</param>
    /// <param name="window">When their operations count.</param>
    /// <param name="live">Runs an actor's life where actors live.</param>
    /// <param name="operation">What an actor does over and over.</param>
    public static Actors Start(int count, Window window, Func<int, Func<Task>, Task> live, Func<int, ValueTask> operation)
    {
        var actors = new Actors(count, window);
        for (var actor = 0; actor < count; actor++)
        {
            var number = actor;
            _ = live(number, () => actors.ActAsync(number, operation));
        }

        return actors;
    }

    /// <summary>The times of all operations that ended within the window, in milliseconds and in ascending order.</summary>
    public double[] Times()
    {
        var all = new List<long>();
        foreach (var times in _times)
        {
            lock (times)
            {
                all.AddRange(times);
            }
        }

        all.Sort();
        return [.. all.Select(time => Stopwatch.GetElapsedTime(0, time).TotalMilliseconds)];
    }

    private async Task ActAsync(int actor, Func<int, ValueTask> operation)
    {
        try
        {
            for (var started = Stopwatch.GetTimestamp(); started < _window.End;)
            {
                await operation(actor);
                var ended = Stopwatch.GetTimestamp();
                if (_window.Holds(ended))
                {
                    lock (_times[actor])
                    {
                        _times[actor].Add(ended - started);
                    }
                }

                started = ended;
            }
        }
#pragma warning disable CA1031 // Whatever it is, the experiment ends with it.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _failed.TrySetException(e);
        }
    }
}
