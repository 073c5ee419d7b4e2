using System.Globalization;

namespace Geo.Experiments.Soak.Memory;

/// <summary>How the memory of one process went in the life that was watched longest.</summary>
/// <param name="Process">Its name.</param>
/// <param name="Managed">What its runtime had in use after a collection: judged.</param>
/// <param name="Unjudged">
/// What else it had, by name: nobody's fault where it grows, for the runtime takes memory, compiles and gives back as it likes. It tells
/// where to look.
/// </param>
internal sealed record ProcessMemory(string Process, MemoryTrend Managed, IReadOnlyList<(string Part, MemoryTrend Trend)> Unjudged)
{
    private const int PartsOfLife = 4;

    /// <summary>The same in numbers, at each quarter of the life: whether what grows comes to rest cannot be seen in a slope.</summary>
    public IReadOnlyList<string> Course { get; private init; } = [];

    public static ProcessMemory Of(string process, IReadOnlyList<MemorySample> samples)
    {
        var life = MemoryTrend.LongestLife(samples);
        return new(
            process,
            MemoryTrend.Of(life, use => use.Managed),
            [
                ("resident", MemoryTrend.Of(life, use => use.Resident)),
                ("the collector's", MemoryTrend.Of(life, use => use.Committed)),
                ("files'", MemoryTrend.Of(life, use => use.ResidentFiles)),
                ("the rest", MemoryTrend.Of(life, use => use.Rest)),
            ])
        {
            Course = [.. Quarters(life).Select(Told)],
        };
    }

    private static IEnumerable<MemorySample> Quarters(MemorySample[] life) => life.Length == 0
        ? [] : Enumerable.Range(0, PartsOfLife + 1).Select(part => life[(life.Length - 1) * part / PartsOfLife]);

    private static string Told(MemorySample sample)
    {
        const long KiB = 1024;
        var use = sample.Use;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"at {sample.Age.TotalMinutes:0.0} min resident {use.Resident / KiB:N0} KiB: the collector's {use.Committed / KiB:N0}, ")
            + string.Create(
                CultureInfo.InvariantCulture,
                $"files' {use.ResidentFiles / KiB:N0}, the rest {use.Rest / KiB:N0}; {use.Threads} threads, ")
            + string.Create(CultureInfo.InvariantCulture, $"{use.CompiledMethods:N0} methods compiled");
    }
}
