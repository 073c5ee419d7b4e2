using Geo.Experiments.Soak;
using Geo.Experiments.Soak.Memory;
using Geo.Experiments.Soak.Shop;
using Geo.Experiments.Soak.Stores;

namespace Geo.Experiments.Tests.Soak;

public sealed class SoakReportTests
{
    private static readonly MemoryTrend Flat = new(100, TimeSpan.FromMinutes(10), 1e7, 0, 1);
    private static readonly MemoryTrend Growing = Flat with { BytesPerMinute = 1e6 };
    private static readonly MemoryTrend Short = Flat with { Over = TimeSpan.FromMinutes(1) };

    [Fact]
    public void A_run_without_a_violation_whose_memory_is_flat_is_clean() =>
        Assert.Equal("CLEAN: nothing oversold, no confirmed order lost or counted twice, memory flat", Verdict(Report(Flat)));

    [Fact]
    public void Memory_that_grows_is_not_clean() => Assert.Contains("memory grows", Verdict(Report(Growing)), StringComparison.Ordinal);

    [Fact]
    public void Memory_that_could_not_be_judged_is_not_clean_in_a_run_that_is_long_enough()
    {
        Assert.False(Report(Short).IsClean);
        Assert.True(Report(Short, minutes: 3).IsClean);
        Assert.Contains("memory not judged", Verdict(Report(Short, minutes: 3)), StringComparison.Ordinal);
    }

    [Fact]
    public void A_run_whose_books_were_not_all_compared_is_not_clean() =>
        Assert.Equal("NOT CLEAN: the books were not compared", Verdict(Report(Flat, comparisons: SoakReport.AllComparisons - 1)));

    [Fact]
    public void A_run_in_which_nothing_was_sold_is_not_clean() =>
        Assert.Equal("NOT CLEAN: no order was confirmed", Verdict(Report(Flat, confirmed: 0)));

    [Fact]
    public void A_violation_is_told_with_the_last_words_of_the_processes()
    {
        var report = Report(Flat);
        report.Tally.Violated("an order is lost");

        Assert.False(report.IsClean);
        Assert.Contains("VIOLATION: an order is lost", report.Lines());
        Assert.Contains("  eu: Unhandled exception", report.Lines());
    }

    [Fact]
    public void A_start_that_failed_is_told_and_no_violation()
    {
        var report = Report(Flat);
        report.Tally.StartFailed("the store is away");

        Assert.True(report.IsClean);
        Assert.Contains("starts that failed and were tried again: 1, the last: the store is away", report.Lines());
    }

    private static string Verdict(SoakReport report) => report.Lines().Last();

    private static SoakReport Report(
        MemoryTrend memory, double minutes = 30, int comparisons = SoakReport.AllComparisons, int confirmed = 1)
    {
        var tally = new SoakTally();
        for (var i = 0; i < comparisons; i++)
        {
            tally.Compared();
        }

        for (var i = 0; i < confirmed; i++)
        {
            tally.Decided(new Order("ann", 1, 1, IsSupply: false), isDone: true);
        }

        var length = TimeSpan.FromMinutes(minutes);
        return new SoakReport(
            new SoakOptions(SoakStoreKind.Sqlite, length, 1, 16, SoakOptions.DefaultStartWithin, "logs"), length, [], tally,
            [new ProcessMemory("eu", memory, [("resident", Growing)])], "logs", [("eu", ["Unhandled exception"])]);
    }
}
