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

        var trend = ProcessMemory.Of("eu", [.. first.Concat(second)]).Managed;

        Assert.Equal(10 * MiB, trend.MeanBytes);
        Assert.Equal(0, trend.BytesPerMinute);
        Assert.True(trend.IsFlat);
    }

    [Fact]
    public void The_parts_of_a_process_make_up_what_is_resident_and_its_course_shows_what_comes_to_rest()
    {
        var memory = ProcessMemory.Of("eu", [.. Samples(0, 21, minute => MiB * (long)Math.Min(10, minute))]);

        Assert.Equal(["resident", "the collector's", "files'", "the rest"], memory.Unjudged.Select(part => part.Part));
        var means = memory.Unjudged.Select(part => part.Trend.MeanBytes).ToArray();
        Assert.Equal(means[0], means[1..].Sum(), tolerance: 1);
        Assert.Equal(5, memory.Course.Count);
        Assert.Equal(
            "at 1.0 min resident 8,192 KiB: the collector's 2,048, files' 3,072, the rest 3,072; 7 threads, 1,000 methods compiled",
            memory.Course[0]);
        Assert.Contains("resident 81,920 KiB", memory.Course[^2]);
        Assert.Contains("resident 81,920 KiB", memory.Course[^1]);
    }

    [Fact]
    public void A_process_knows_what_it_uses()
    {
        var use = MemoryUse.OfThisProcess();

        Assert.InRange(use.Managed, 1, use.Committed);
        Assert.InRange(use.CompiledMethods, 1, long.MaxValue);
        if (OperatingSystem.IsLinux())
        {
            Assert.InRange(use.ResidentFiles, 1, use.Resident);
            Assert.InRange(use.Threads, 1, 1000);
        }
    }

    private static MemoryTrend Trend(int minutes, Func<double, long> bytes) =>
        ProcessMemory.Of("eu", [.. Samples(0, minutes, bytes)]).Managed;

    private static IEnumerable<MemorySample> Samples(int life, int minutes, Func<double, long> bytes) => Enumerable.Range(0, 12 * minutes)
        .Select(i => TimeSpan.FromSeconds(5 * i)).Select(age => new MemorySample(life, age, Use(bytes(age.TotalMinutes))));

    private static MemoryUse Use(long bytes) => new(bytes, 2 * bytes, 8 * bytes, 3 * bytes, 7, 1_000);
}
