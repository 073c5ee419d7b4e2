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

    /// <summary>What an hour at the slope adds may be a tenth of the mean, after three standard errors.</summary>
    public const double MostPerHour = 0.1;

    /// <summary>Null where the time is too short to say.</summary>
    public bool? IsFlat => Over < Judged ? null : 60 * (BytesPerMinute - (3 * Error)) <= MostPerHour * MeanBytes;

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
