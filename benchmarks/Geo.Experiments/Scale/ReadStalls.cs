using System.Diagnostics;
using Geo.Directory;

namespace Geo.Experiments.Scale;

/// <summary>A thread that looks up one grain after the other, a thousand a second, and keeps how long each took.</summary>
internal sealed class ReadStalls : IDisposable
{
    private readonly List<double> _milliseconds = new(1_000_000);
    private readonly Thread _thread;
    private volatile bool _stopped;

    public ReadStalls(ScaleSilo silo, IReadOnlyList<GrainKey> keys)
    {
        _thread = new Thread(() => Run(silo, keys)) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>Ends the reads.</summary>
    /// <returns>How many there were, and how long the middle, the slowest of a thousand and the slowest took, in milliseconds.</returns>
    public (int Count, double Median, double Slow, double Longest) End()
    {
        Dispose();
        _milliseconds.Sort();
        return (_milliseconds.Count, At(0.5), At(0.999), At(1));
    }

    public void Dispose()
    {
        _stopped = true;
        _thread.Join();
    }

    private double At(double share) => _milliseconds.Count == 0 ? 0 : _milliseconds[(int)((_milliseconds.Count - 1) * share)];

    private void Run(ScaleSilo silo, IReadOnlyList<GrainKey> keys)
    {
        for (var i = 0; !_stopped; i = (i + 7919) % keys.Count)
        {
            var begun = Stopwatch.GetTimestamp();
            var read = silo.Directory.AcquireAsync(keys[i], silo.Node, SingleInstanceMode.Optimistic);
            if (read.IsCompletedSuccessfully
                ? read.Result.Kind != PlacementKind.Here
                : read.AsTask().GetAwaiter().GetResult().Kind != PlacementKind.Here)
            {
                throw new InvalidOperationException($"{keys[i]} is not here.");
            }

            _milliseconds.Add(Stopwatch.GetElapsedTime(begun).TotalMilliseconds);
            Thread.Sleep(1);
        }
    }
}
