using System.Globalization;

namespace Geo.Experiments.Soak.Memory;

/// <summary>How the memory of a process went in its longest life, by least squares.</summary>
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
    /// quiet for ten minutes that a tenth of it an hour could be told from nothing.
    /// </summary>
    public const double ToldFromNothing = 1024 * KiB;

    /// <summary>Null where it cannot be said: the time is too short, or see <see cref="IsTooNoisy"/>.</summary>
    public bool? IsFlat => Over < Judged ? null
        : 60 * (BytesPerMinute - (3 * Error)) > MostPerHour * MeanBytes ? false
        : 60 * (BytesPerMinute + (3 * Error)) <= Math.Max(MostPerHour * MeanBytes, ToldFromNothing) ? true
        : null;

    /// <summary>True where the time is long enough, but the memory goes up and down so much that it may grow, or not.</summary>
    public bool IsTooNoisy => Over >= Judged && IsFlat is null;

    /// <summary>The trend of the life that was watched longest.</summary>
    public static MemoryTrend Of(IEnumerable<MemorySample> samples)
    {
        var lives = samples.Where(sample => sample.Age >= WarmUp).GroupBy(sample => sample.Life)
            .Select(life => life.OrderBy(sample => sample.Age).ToArray());
        return Of(lives.MaxBy(life => life[^1].Age - life[0].Age) ?? []);
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{MeanBytes / KiB:N0} KiB, slope {BytesPerMinute / KiB:+0.0;-0.0;0} KiB/min (standard error {Error / KiB:0.0}) ")
        + string.Create(CultureInfo.InvariantCulture, $"over {Over.TotalMinutes:0.0} min, {Samples} samples");

    private static MemoryTrend Of(MemorySample[] life)
    {
        if (life.Length < 3)
        {
            var mean = life.Select(sample => (double)sample.Bytes).DefaultIfEmpty().Average();
            return new MemoryTrend(life.Length, TimeSpan.Zero, mean, 0, 0);
        }

        var (meanAge, meanBytes) = (life.Average(sample => sample.Age.TotalMinutes), life.Average(sample => (double)sample.Bytes));
        var spread = life.Sum(sample => Math.Pow(sample.Age.TotalMinutes - meanAge, 2));
        var slope = life.Sum(sample => (sample.Age.TotalMinutes - meanAge) * (sample.Bytes - meanBytes)) / spread;
        var rest = life.Sum(sample => Math.Pow(sample.Bytes - meanBytes - (slope * (sample.Age.TotalMinutes - meanAge)), 2));
        return new MemoryTrend(
            life.Length, life[^1].Age - life[0].Age, meanBytes, slope, Math.Sqrt(rest / (life.Length - 2) / spread));
    }
}
