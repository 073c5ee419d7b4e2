using System.Globalization;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Memory;
using Geo.Experiments.Soak.Shop;

namespace Geo.Experiments.Soak;

/// <summary>What came out of a run.</summary>
/// <param name="Options">What was asked for.</param>
/// <param name="Faults">What happened.</param>
/// <param name="Tally">What customers saw, and what is wrong.</param>
/// <param name="Memory">By process.</param>
internal sealed record SoakReport(
    SoakOptions Options, IReadOnlyList<Fault> Faults, SoakTally Tally, IReadOnlyDictionary<string, MemoryTrend> Memory)
{
    /// <summary>True when nothing was oversold or lost and no memory grew.</summary>
    public bool IsClean => Tally.ViolationCount == 0 && Memory.Values.All(trend => trend.IsFlat != false);

    /// <summary>The report for people.</summary>
    public IEnumerable<string> Lines()
    {
        yield return Text(
            $"{Options.Store}, seed {Options.Seed}, {Options.Length.TotalMinutes:0.#} min, {Options.Customers} customers in two regions");
        yield return $"faults: {Counted(Faults.GroupBy(fault => fault.Kind).Select(kind => ($"{kind.Key}", kind.Count())))}";
        yield return Text(
            $"orders confirmed {Tally.Confirmed:N0}, refused for want of stock {Tally.Refused:N0}, supplies {Tally.Supplies:N0}");
        yield return $"attempts repeated: {Counted(Tally.Repeats.Select(repeat => (repeat.Key, repeat.Value)))}";
        yield return Text($"longest wait for a decision {Tally.LongestWait.TotalSeconds:0.0} s");
        foreach (var (process, trend) in Memory)
        {
            yield return $"memory of {process}: {trend}";
        }

        foreach (var violation in Tally.Violations)
        {
            yield return $"VIOLATION: {violation}";
        }

        yield return Tally.ViolationCount == 0
            ? "nothing oversold, no confirmed order lost or counted twice"
            : Text($"{Tally.ViolationCount} violations");
    }

    private static string Counted(IEnumerable<(string What, int Count)> counts) => string.Join(
        ", ",
        counts.OrderBy(count => count.What, StringComparer.Ordinal).Select(count => Text($"{count.What} {count.Count:N0}"))
            .DefaultIfEmpty("none"));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
