using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace Geo.Experiments.Regions;

/// <summary>Makes many grains in a region, and calls any of them all the time.</summary>
/// <param name="find">A grain by its key and the name of its class.</param>
internal sealed class ResidentCalls(Func<string, string, IResident> find) : IDisposable
{
    private const int MostTold = 1_000;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    private readonly ConcurrentQueue<FailedCall> _failures = [];
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _callers = [];
    private long _answered;
    private long _slowest;

    /// <summary>Calls each grain once.</summary>
    public async Task FillAsync(ResidentLoad load) => await Parallel.ForAsync(
        0, load.Grains, new ParallelOptions { MaxDegreeOfParallelism = load.AtATime },
        async (i, _) => await Find(load, i).Call());

    /// <summary>Begins to call grains at random.</summary>
    public void Begin(ResidentLoad load)
    {
        for (var i = 0; i < load.AtATime; i++)
        {
            var random = new Random(i);
            _callers.Add(Task.Run(() => CallAsync(load, random)));
        }
    }

    /// <summary>Makes no further call, and tells.</summary>
    public async Task<ResidentTally> EndAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_callers);
        return new(_answered, Stopwatch.GetElapsedTime(0, _slowest), [.. _failures.Take(MostTold)]);
    }

    private async Task CallAsync(ResidentLoad load, Random random)
    {
        while (!_end.IsCancellationRequested)
        {
            var began = Stopwatch.GetTimestamp();
            try
            {
                await Find(load, random.Next(load.Grains)).Call();
                Interlocked.Increment(ref _answered);
                InterlockedMax(ref _slowest, Stopwatch.GetTimestamp() - began);
            }
#pragma warning disable CA1031 // Whatever it is, it is told.
            catch (Exception error)
#pragma warning restore CA1031
            {
                _failures.Enqueue(new(Stopwatch.GetTimestamp(), error.Message));
            }

            await Task.Delay(Pause);
        }
    }

    private IResident Find(ResidentLoad load, int i) => find(i.ToString(CultureInfo.InvariantCulture), load.Class);

    private static void InterlockedMax(ref long most, long now)
    {
        for (var before = Volatile.Read(ref most); now > before; before = Volatile.Read(ref most))
        {
            if (Interlocked.CompareExchange(ref most, now, before) == before)
            {
                return;
            }
        }
    }

    public void Dispose() => _end.Dispose();
}
