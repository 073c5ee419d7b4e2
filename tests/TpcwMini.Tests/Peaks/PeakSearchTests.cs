using TpcwMini.Options;
using TpcwMini.Peaks;
using TpcwMini.Report;
using TpcwMini.Tests.EndToEnd;
using TpcwMini.Tests.Report;

namespace TpcwMini.Tests.Peaks;

public sealed class PeakSearchTests
{
    private static readonly MatrixPlan Plan = new([1350, RunOptions.NoCap], Levels: 12, Repeats: 3, Minutes: 14, File: "runs.jsonl");

    [Fact]
    public void The_load_rises_until_steps_fall_and_the_peak_is_repeated()
    {
        var runs = Search(robots => robots <= 3_375 ? robots : 7_000 - robots, first: 1_000, Plan);

        Assert.Equal([1_000, 1_500, 2_250, 3_375, 5_062, 5_062, 3_375, 3_375], runs.Select(run => run.Robots));
        var levels = PeakSearch.Levels(runs);
        Assert.Equal((3_375, 3), (PeakSearch.Best(levels).Robots, PeakSearch.Best(levels).Runs.Count));
        Assert.True(PeakSearch.Falls(levels));
    }

    [Fact]
    public void A_first_load_beyond_the_peak_goes_down()
    {
        var runs = Search(robots => robots <= 700 ? robots : 1_400.0 * 700 / robots / 2, first: 3_000, Plan);

        Assert.Equal(592, PeakSearch.Best(PeakSearch.Levels(runs)).Robots);
        Assert.Equal([3_000, 4_500, 4_500, 2_000, 1_333, 888, 592, 394, 394, 592, 592], runs.Select(run => run.Robots));
    }

    [Fact]
    public void A_row_of_the_versioned_API_begins_near_the_peak_of_the_row_before()
    {
        var rows = Plan.RowsOf(Load with { Robots = 1_000 });
        IReadOnlyList<PeakLevel> before = [new PeakLevel(9_000, [Run(9_000, 90)]), new PeakLevel(13_500, [Run(13_500, 80)])];

        var (basic, versioned) = (rows[0], rows[1]);
        Assert.Equal((ItemApi.Basic, ItemApi.Versioned), (basic.Variant.Api, versioned.Variant.Api));
        Assert.Equal(1_000, PeakSearch.First(basic, before));
        Assert.Equal(4_000, PeakSearch.First(versioned, before));
        Assert.Equal(1_000, PeakSearch.First(versioned, []));
        Assert.Equal(1_000, PeakSearch.First(versioned, [new PeakLevel(1_500, [Run(1_500, 1)])]));
    }

    [Fact]
    public void A_plateau_goes_on()
    {
        // 3 % less is within what two runs differ by.
        var runs = Search(robots => robots switch { <= 2_000 => robots, 2_250 => 1_990, 3_375 => 2_050, _ => 1_000 }, first: 1_500, Plan);

        Assert.Equal([1_500, 2_250, 3_375, 5_062, 5_062, 3_375, 3_375], runs.Select(run => run.Robots));
    }

    [Fact]
    public void One_slow_run_does_not_end_the_search_below_the_peak()
    {
        var (slowUp, slowDown) = (true, true);
        var up = Search(robots => robots == 2_250 && slowUp ? Once(ref slowUp) : robots <= 3_375 ? robots : 2_000, first: 1_500, Plan);
        var down = Search(
            robots => robots == 2_000 && slowDown ? Once(ref slowDown) : robots <= 1_400 ? robots : 4_000_000.0 / robots, 3_000, Plan);

        Assert.Equal([1_500, 2_250, 2_250, 2_250, 3_375, 5_062, 5_062, 3_375, 3_375], up.Select(run => run.Robots));
        Assert.Equal([3_000, 4_500, 4_500, 2_000, 2_000, 2_000, 1_333, 1_333], down.Select(run => run.Robots));

        static double Once(ref bool isSlow)
        {
            isSlow = false;
            return 500;
        }
    }

    [Fact]
    public void A_row_that_rises_to_the_end_says_so()
    {
        var runs = Search(robots => robots, first: 1_000, Plan with { Levels = 3, Repeats = 2 });

        Assert.Equal([1_000, 1_500, 2_250, 2_250], runs.Select(run => run.Robots));
        Assert.False(PeakSearch.Falls(PeakSearch.Levels(runs)));
        Assert.Contains("2,250 or more", PeakTable.Markdown([PeakSearch.Levels(runs)]));
    }

    [Fact]
    public void The_run_in_the_middle_counts()
    {
        var level = new PeakLevel(1, [Run(1, 30), Run(1, 10), Run(1, 20)]);

        Assert.Equal((20, 10, 30), (level.StepsPerSecond, level.Least, level.Most));
    }

    [Fact]
    public void Rows_are_of_each_account_but_volatile_ones_of_one()
    {
        var rows = Plan.RowsOf(Load);

        Assert.Equal(Variant.Sensible.Count(v => v.State == ItemDurability.Persistent) + Variant.Sensible.Count, rows.Count);
        Assert.All(rows, row => Assert.True(row.Variant.State == ItemDurability.Persistent || row.StoreOps == 1350));
    }

    [Fact]
    public void A_later_part_goes_on_from_the_runs_of_the_first()
    {
        using var folder = new WorkFolder();
        var path = folder.File("runs.jsonl");
        var row = Load with { Variant = Variant.Sensible[1] };
        var run = SampleRun.Of(row.Variant);
        row = row with
        {
            Clusters = run.Clusters,
            StoreOps = run.StoreOps,
            Seconds = run.Seconds,
            Warmup = run.Warmup,
            Items = run.Items,
            RttMs = run.RttMs,
            StoreNearMs = run.StoreNearMs,
            StoreFarMs = run.StoreFarMs,
        };
        new MatrixFile(path).Add(run);
        new MatrixFile(path).Add(run with { Robots = 7, StepsPerSecond = 3 });

        var read = new MatrixFile(path).Of(row);

        Assert.Equal([run.Robots, 7], read.Select(r => r.Robots));
        Assert.Equal(run.LatencyMs["buy"], read[0].LatencyMs["buy"]);
        Assert.Empty(new MatrixFile(path).Of(row with { StoreOps = row.StoreOps + 1 }));
        File.AppendAllText(path, "half a li");
        Assert.Throws<UsageException>(() => new MatrixFile(path));
    }

    private static RunOptions Load => new() { Clusters = ["us", "eu"], Variant = Variant.Sensible[0] };

    private static List<RunResult> Search(Func<int, double> steps, int first, MatrixPlan plan)
    {
        var runs = new List<RunResult>();
        while (PeakSearch.Next(runs, first, plan) is { } robots)
        {
            runs.Add(Run(robots, steps(robots)));
            Assert.True(runs.Count < 40);
        }

        return runs;
    }

    private static RunResult Run(int robots, double steps) =>
        SampleRun.Of(Variant.Sensible[1]) with { Robots = robots, StepsPerSecond = steps };
}
