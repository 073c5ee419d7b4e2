using System.Globalization;

namespace Geo.Experiments.Soak.Memory;

/// <summary>How a part of a process's memory went in one of its lives, by least squares.</summary>
/// <param name="Samples">How many there are.</param>
/// <param name="Over">The time between the first and the last of them.</param>
/// <param name="MeanBytes">Their mean.</param>
/// <param name="BytesPerMinute">The slope.</param>
/// <param name="Error">The standard error of the slope, in the same unit.</param>
internal sealed record MemoryTrend(int Samples, TimeSpan Over, double MeanBytes, double BytesPerMinute, double Error)
{
    /// <summary>A life begins with what is made once; its first part does not count.</summary>
    public static readonly TimeSpan WarmUp = TimeSpan.FromMinutes(1);

    /// <summary>Over a shorter time nothing can be said.</summary>
    public static readonly TimeSpan Judged = TimeSpan.FromMinutes(5);

    private const double KiB = 1024;

    /// <summary>It grows where an hour at three standard errors below the slope adds more than this part of the mean.</summary>
    public const double MostPerHour = 0.1;

    /// <summary>
    /// It is flat where an hour at three standard errors above the slope adds no more than that, or than this: a heap of 3 MiB is never so
    /// quiet for ten minutes that a tenth of it an hour could be told from nothing. What a leak that matters adds is far more: the smallest
    /// object that there is (24 bytes), kept once for each of the 3,500 orders a minute of the slowest run, makes 4.8 MiB an hour.
    /// </summary>
    public const double ToldFromNothing = 1024 * KiB;

    /// <summary>Null where it cannot be said: the time is too short, or see <see cref="IsTooNoisy"/>.</summary>
    public bool? IsFlat => Over < Judged ? null
        : 60 * (BytesPerMinute - (3 * Error)) > MostPerHour * MeanBytes ? false
        : 60 * (BytesPerMinute + (3 * Error)) <= Math.Max(MostPerHour * MeanBytes, ToldFromNothing) ? true
        : null;

    /// <summary>True where the time is long enough, but the memory goes up and down so much that it may grow, or not.</summary>
    public bool IsTooNoisy => Over >= Judged && IsFlat is null;

    /// <summary>The samples of the life that was watched longest, without those of its first minute.</summary>
    public static MemorySample[] LongestLife(IEnumerable<MemorySample> samples) => samples.Where(sample => sample.Age >= WarmUp)
        .GroupBy(sample => sample.Life).Select(life => life.OrderBy(sample => sample.Age).ToArray())
        .MaxBy(life => life[^1].Age - life[0].Age) ?? [];

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{MeanBytes / KiB:N0} KiB, slope {BytesPerMinute / KiB:+0.0;-0.0;0} KiB/min (standard error {Error / KiB:0.0}) ")
        + string.Create(CultureInfo.InvariantCulture, $"over {Over.TotalMinutes:0.0} min, {Samples} samples");

    /// <summary>The trend of a part of what a process used.</summary>
    /// <param name="life">One life's samples, in their order.</param>
    /// <param name="part">The part, in bytes.</param>
    public static MemoryTrend Of(IReadOnlyList<MemorySample> life, Func<MemoryUse, long> part)
    {
        var used = life.Select(sample => (Age: sample.Age.TotalMinutes, Bytes: (double)part(sample.Use))).ToArray();
        var meanAge = used.Select(one => one.Age).DefaultIfEmpty().Average();
        var meanBytes = used.Select(one => one.Bytes).DefaultIfEmpty().Average();
        if (used.Length < 3)
        {
            return new MemoryTrend(used.Length, TimeSpan.Zero, meanBytes, 0, 0);
        }

        var spread = used.Sum(one => Math.Pow(one.Age - meanAge, 2));
        var slope = used.Sum(one => (one.Age - meanAge) * (one.Bytes - meanBytes)) / spread;
        var rest = used.Sum(one => Math.Pow(one.Bytes - meanBytes - (slope * (one.Age - meanAge)), 2));
        return new MemoryTrend(
            used.Length, life[^1].Age - life[0].Age, meanBytes, slope, Math.Sqrt(rest / (used.Length - 2) / spread));
    }
}
