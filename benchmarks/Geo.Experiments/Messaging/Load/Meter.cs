using System.Diagnostics;

namespace Geo.Experiments.Messaging.Load;

/// <summary>What this process uses between two moments.</summary>
internal sealed class Meter
{
    private readonly TimeSpan _processor = Processor();
    private readonly long _allocated = GC.GetTotalAllocatedBytes();

    /// <summary>The figures of operations that took some times.</summary>
    public PeerFigures Figures(double[] times, double seconds) => Figures(times.Length, seconds) with
    {
        Median = At(times, 0.5),
        Percentile99 = At(times, 0.99),
        Maximum = At(times, 1),
    };

    /// <summary>The figures of operations whose times are not known.</summary>
    public PeerFigures Figures(long operations, double seconds) => new(
        operations,
        operations / seconds,
        0,
        0,
        0,
        (Processor() - _processor).TotalMicroseconds / Math.Max(1, operations),
        (GC.GetTotalAllocatedBytes() - _allocated) / (double)Math.Max(1, operations));

    /// <summary>The value below which a share of the sorted values lies; 0 when there is none.</summary>
    public static double At(double[] sorted, double share) =>
        sorted.Length == 0 ? 0 : sorted[Math.Min(sorted.Length - 1, (int)(share * sorted.Length))];

    private static TimeSpan Processor()
    {
        using var process = Process.GetCurrentProcess();
        return process.TotalProcessorTime;
    }
}
