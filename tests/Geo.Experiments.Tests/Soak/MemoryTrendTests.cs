using Geo.Experiments.Soak.Memory;

namespace Geo.Experiments.Tests.Soak;

public sealed class MemoryTrendTests
{
    private const long MiB = 1024 * 1024;

    [Fact]
    public void Memory_that_goes_up_and_down_is_flat() =>
        Assert.True(Trend(20, minute => (10 * MiB) + ((long)(MiB * Math.Sin(minute)))).IsFlat);

    [Fact]
    public void Memory_that_grows_slowly_under_noise_is_noticed()
    {
        var random = new Random(1);

        var trend = Trend(20, minute => (10 * MiB) + (long)(minute * 64 * 1024) + random.Next(256 * 1024));

        Assert.False(trend.IsFlat);
        Assert.InRange(trend.BytesPerMinute, 60 * 1024, 68 * 1024);
    }

    [Fact]
    public void A_leak_that_is_lost_in_noise_is_not_called_flat()
    {
        var random = new Random(1);

        var trend = Trend(20, minute => (10 * MiB) + (long)(minute * 64 * 1024) + random.Next(12 * (int)MiB));

        Assert.InRange(60 * (trend.BytesPerMinute - (3 * trend.Error)), double.MinValue, MemoryTrend.MostPerHour * trend.MeanBytes);
        Assert.Null(trend.IsFlat);
        Assert.True(trend.IsTooNoisy);
    }

    [Theory]
    [InlineData(2_617, -7.7, 3.4, 11.9)]
    [InlineData(2_731, -5.1, 5.2, 11.5)]
    public void A_small_heap_that_went_down_in_a_life_of_a_soak_is_flat(double mean, double slope, double error, double minutes) =>
        Assert.True(new MemoryTrend(100, TimeSpan.FromMinutes(minutes), mean * 1024, slope * 1024, error * 1024).IsFlat);

    [Fact]
    public void A_short_life_is_not_judged() => Assert.Null(Trend(4, minute => (long)(minute * 10 * MiB)).IsFlat);

    [Fact]
    public void The_longest_life_is_judged_and_what_its_start_takes_does_not_count()
    {
        var first = Samples(0, 2, _ => 100 * MiB);
        var second = Samples(1, 20, minute => minute < 1 ? MiB : 10 * MiB);

        var trend = MemoryTrend.Of(first.Concat(second));

        Assert.Equal(10 * MiB, trend.MeanBytes);
        Assert.Equal(0, trend.BytesPerMinute);
        Assert.True(trend.IsFlat);
    }

    private static MemoryTrend Trend(int minutes, Func<double, long> bytes) => MemoryTrend.Of(Samples(0, minutes, bytes));

    private static IEnumerable<MemorySample> Samples(int life, int minutes, Func<double, long> bytes) => Enumerable.Range(0, 12 * minutes)
        .Select(i => TimeSpan.FromSeconds(5 * i)).Select(age => new MemorySample(life, age, bytes(age.TotalMinutes)));
}
