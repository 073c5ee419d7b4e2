using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using TpcwMini.Options;
using TpcwMini.Peaks;
using TpcwMini.Report;

namespace TpcwMini.Commands;

/// <summary>Looks for the peak of every row, in parts of bounded time, and puts the peaks beside each other.</summary>
internal sealed class MatrixCommand(IAnsiConsole console)
{
    public async Task<int> RunAsync(Request request, MatrixPlan plan, CancellationToken cancellationToken)
    {
        var began = Stopwatch.GetTimestamp();
        var file = new MatrixFile(plan.File);
        var rows = plan.RowsOf(request.Options);
        foreach (var (number, row) in rows.Index())
        {
            while (Next(number) is { } robots)
            {
                if (Stopwatch.GetElapsedTime(began).TotalMinutes >= plan.Minutes)
                {
                    var open = Enumerable.Range(0, rows.Count).Count(other => Next(other) is not null);
                    var state = Text($"{plan.Minutes} minutes are over; {open} of {rows.Count} rows are open.");
                    console.WriteLine($"{state} The same command goes on from {plan.File}.");
                    return ExitCodes.Passed;
                }

                var run = await new MainJob(row with { Robots = robots }, console).RunAsync(cancellationToken);
                file.Add(run);
                console.WriteLine(Text(
                    $"{run.Variant}, {robots:#,0} robots: {run.StepsPerSecond:#,0} steps/s in time, {(run.Passed ? "passed" : "FAILED")}"));
            }
        }

        return Report(request, [.. rows.Select(row => PeakSearch.Levels(file.Of(row)))]);

        int? Next(int number) => PeakSearch.Next(
            file.Of(rows[number]),
            number == 0 ? rows[0].Robots : PeakSearch.First(rows[number], PeakSearch.Levels(file.Of(rows[number - 1]))),
            plan);
    }

    private int Report(Request request, IReadOnlyList<IReadOnlyList<PeakLevel>> rows)
    {
        RunResult[] peaks = [.. rows.Select(levels => PeakSearch.Best(levels).Middle)];
        ResultTable.Write(console, peaks);

        // Not through the console, which would break its lines.
        Console.Out.WriteLine();
        Console.Out.WriteLine(PeakTable.Markdown(rows));
        if (request.JsonPath is { } json)
        {
            ResultFile.Save(json, ResultJson.Write(peaks));
        }

        var report = request.HtmlPath ?? MainCommand.NewReport("matrix");
        ResultFile.Save(report, HtmlReport.Of(peaks));
        console.WriteLine($"report: {Path.GetFullPath(report)}");
        return rows.All(levels => levels.All(level => level.Runs.All(run => run.Passed))) ? ExitCodes.Passed : ExitCodes.Broken;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
