using System.Globalization;
using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Memory;
using Geo.Experiments.Soak.Shop;

namespace Geo.Experiments.Soak;

/// <summary>What came out of a run.</summary>
/// <param name="Options">What was asked for.</param>
/// <param name="Ordered">How long customers ordered.</param>
/// <param name="Faults">What happened.</param>
/// <param name="Tally">What customers and auditors saw, and what is wrong.</param>
/// <param name="Memory">By process.</param>
/// <param name="LogFolder">Where the processes' texts are.</param>
/// <param name="LastWords">The end of each.</param>
internal sealed record SoakReport(
    SoakOptions Options, TimeSpan Ordered, IReadOnlyList<Fault> Faults, SoakTally Tally, IReadOnlyList<ProcessMemory> Memory,
    string LogFolder, IReadOnlyList<(string Process, IReadOnlyList<string> Lines)> LastWords)
{
    /// <summary>How many regions a run has.</summary>
    public const int Regions = 2;

    /// <summary>Each article through each region, as they lived and as they were started again.</summary>
    public const int AllComparisons = 2 * Regions * Articles.Count;

    /// <summary>What a fault at its beginning and a start on a busy machine at its end may take of a life.</summary>
    private static readonly TimeSpan Slack = TimeSpan.FromMinutes(2);

    /// <summary>True when the run was stopped before its time was over.</summary>
    public bool IsCutShort => Ordered + TimeSpan.FromSeconds(1) < Options.Length;

    /// <summary>True for a run so long that the memory of every process can be judged, and must be.</summary>
    public bool MustJudgeMemory => !IsCutShort
        && FaultPlan.LifeIn(Options.Length, Regions) >= MemoryTrend.WarmUp + MemoryTrend.Judged + Slack;

    /// <summary>True when all was compared, nothing was oversold or lost and no memory grew.</summary>
    public bool IsClean => Tally is { ViolationCount: 0, Confirmed: > 0, Comparisons: AllComparisons }
        && Memory.All(memory => memory.Managed.IsFlat ?? !MustJudgeMemory);

    /// <summary>The report for people.</summary>
    public IEnumerable<string> Lines()
    {
        yield return Text(
            $"{Options.Store}, seed {Options.Seed}, {Ordered.TotalMinutes:0.0} of {Options.Length.TotalMinutes:0.#} min, ")
            + Text($"{Options.Customers} customers in two regions");
        yield return $"faults: {Counted(Faults.GroupBy(fault => fault.Kind).Select(kind => ($"{kind.Key}", kind.Count())))}";
        yield return Tally.LastFailedStart is { } last
            ? Text($"starts that failed and were tried again: {Tally.FailedStarts:N0}, the last: {last}")
            : "starts that failed and were tried again: none";
        yield return Text(
            $"orders confirmed {Tally.Confirmed:N0}, refused for want of stock {Tally.Refused:N0}, supplies {Tally.Supplies:N0}");
        yield return $"attempts repeated: {Counted(Tally.Repeats.Select(repeat => (repeat.Key, repeat.Value)))}";
        yield return Text($"longest wait for a decision {Tally.LongestWait.TotalSeconds:0.0} s");
        yield return Text($"books looked at meanwhile {Tally.Audits:N0}, compared at the end {Tally.Comparisons} of {AllComparisons}");
        foreach (var memory in Memory)
        {
            yield return $"memory of {memory.Process}: {memory.Managed}: {VerdictOf(memory.Managed)}";
            foreach (var (part, trend) in memory.Unjudged)
            {
                yield return $"  {part}, not judged: {trend}";
            }

            foreach (var line in memory.Course)
            {
                yield return $"  {line}";
            }
        }

        foreach (var violation in Tally.Violations)
        {
            yield return $"VIOLATION: {violation}";
        }

        foreach (var line in IsClean ? [] : LastWords.SelectMany(process => process.Lines.Select(line => $"{process.Process}: {line}")))
        {
            yield return $"  {line}";
        }

        yield return $"the processes' texts are in {LogFolder}";
        yield return Verdict();
    }

    private string Verdict() =>
        IsClean ? "CLEAN: nothing oversold, no confirmed order lost or counted twice, "
            + (Memory.All(memory => memory.Managed.IsFlat == true) ? "memory flat" : "memory not judged: the run is too short for it")
            + (IsCutShort ? "; stopped early" : "")
        : Tally.ViolationCount > 0 ? Text($"NOT CLEAN: {Tally.ViolationCount} violations")
        : Tally.Comparisons < AllComparisons ? "NOT CLEAN: the books were not compared"
        : Tally.Confirmed == 0 ? "NOT CLEAN: no order was confirmed"
        : "NOT CLEAN: memory grows, or could not be judged";

    private string VerdictOf(MemoryTrend memory) => memory.IsFlat switch
    {
        true => "flat",
        false => "GROWS",
        null when memory.IsTooNoisy => "NOT JUDGED, too noisy: it may grow, or not",
        null => MustJudgeMemory ? "NOT JUDGED, no life was long enough" : "too short to judge",
    };

    private static string Counted(IEnumerable<(string What, int Count)> counts) => string.Join(
        ", ",
        counts.OrderBy(count => count.What, StringComparer.Ordinal).Select(count => Text($"{count.What} {count.Count:N0}"))
            .DefaultIfEmpty("none"));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
