using System.Numerics;

namespace TpcwMini.Robots;

/// <summary>
/// Counts latencies in buckets of about 3 % width, from a microsecond up to two minutes. Recording is lock-free and allocates nothing.
/// </summary>
internal sealed class LatencyHistogram
{
    private const int Exact = 64;
    private const int PerDoubling = 32;
    private const int Doublings = 21;
    private readonly long[] _counts = new long[Exact + (PerDoubling * Doublings)];

    public long Count => _counts.Sum();

    public void Record(TimeSpan latency) =>
        Interlocked.Increment(ref _counts[BucketOf((long)latency.TotalMicroseconds)]);

    public void Add(LatencyHistogram other)
    {
        for (var i = 0; i < _counts.Length; i++)
        {
            _counts[i] += other._counts[i];
        }
    }

    /// <summary>What has been recorded here since <paramref name="earlier"/> was copied.</summary>
    public LatencyHistogram Since(LatencyHistogram earlier)
    {
        var difference = new LatencyHistogram();
        for (var i = 0; i < _counts.Length; i++)
        {
            difference._counts[i] = _counts[i] - earlier._counts[i];
        }

        return difference;
    }

    public LatencyHistogram Copy()
    {
        var copy = new LatencyHistogram();
        copy.Add(this);
        return copy;
    }

    /// <summary>The latency in milliseconds that this share of the recorded ones does not exceed; 0 when there are none.</summary>
    public double PercentileMs(double percent)
    {
        var count = Count;
        if (count == 0)
        {
            return 0;
        }

        var rank = Math.Max(1, (long)Math.Ceiling(count * percent / 100));
        var seen = 0L;
        for (var i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= rank)
            {
                return UpperBoundOf(i) / 1000.0;
            }
        }

        return UpperBoundOf(_counts.Length - 1) / 1000.0;
    }

    private int BucketOf(long microseconds)
    {
        if (microseconds < Exact)
        {
            return (int)Math.Max(0, microseconds);
        }

        var exponent = BitOperations.Log2((ulong)microseconds);
        var within = (int)(microseconds >> (exponent - 5)) & (PerDoubling - 1);
        return Math.Min(Exact + ((exponent - 6) * PerDoubling) + within, _counts.Length - 1);
    }

    private static long UpperBoundOf(int bucket)
    {
        if (bucket < Exact)
        {
            return bucket;
        }

        var exponent = 6 + ((bucket - Exact) / PerDoubling);
        var within = (bucket - Exact) % PerDoubling;
        return ((long)(PerDoubling + within + 1) << (exponent - 5)) - 1;
    }
}
