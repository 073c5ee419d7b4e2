using TpcwMini.Robots;

namespace TpcwMini.Tests.Robots;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void Percentiles_are_within_four_percent_of_the_sorted_truth()
    {
        var random = new Random(7);
        var histogram = new LatencyHistogram();
        var all = new List<double>();
        for (var i = 0; i < 20_000; i++)
        {
            var milliseconds = Math.Exp(random.NextDouble() * 9) / 10;
            all.Add(milliseconds);
            histogram.Record(TimeSpan.FromMilliseconds(milliseconds));
        }

        all.Sort();
        Assert.Equal(all.Count, histogram.Count);
        foreach (var percent in (double[])[1, 50, 95, 99, 99.9, 100])
        {
            var truth = all[(int)Math.Ceiling(all.Count * percent / 100) - 1];
            Assert.InRange(histogram.PercentileMs(percent), truth * 0.99, truth * 1.04);
        }
    }

    [Fact]
    public void Nothing_recorded_gives_zero() => Assert.Equal(0, new LatencyHistogram().PercentileMs(99));

    [Fact]
    public void The_smallest_and_the_largest_find_a_bucket()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(TimeSpan.FromMilliseconds(-1));
        histogram.Record(TimeSpan.Zero);
        histogram.Record(TimeSpan.FromHours(3));

        Assert.Equal(3, histogram.Count);
        Assert.Equal(0, histogram.PercentileMs(50));
        Assert.True(histogram.PercentileMs(100) > 60_000);
    }

    [Fact]
    public void A_copy_tells_what_came_since()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(TimeSpan.FromMilliseconds(10));
        var earlier = histogram.Copy();
        histogram.Record(TimeSpan.FromMilliseconds(500));

        Assert.Equal(1, histogram.Since(earlier).Count);
        Assert.InRange(histogram.Since(earlier).PercentileMs(50), 495, 520);
    }
}
