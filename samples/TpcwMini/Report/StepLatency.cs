using TpcwMini.Robots;

namespace TpcwMini.Report;

/// <summary>The latencies of one step in milliseconds.</summary>
internal sealed record StepLatency(double P50, double P95, double P99, long Count)
{
    public static StepLatency Of(LatencyHistogram latencies) => new(
        Round(latencies.PercentileMs(50)), Round(latencies.PercentileMs(95)), Round(latencies.PercentileMs(99)), latencies.Count);

    private static double Round(double milliseconds) => Math.Round(milliseconds, milliseconds < 10 ? 2 : 1);
}
