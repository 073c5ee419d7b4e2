using System.Globalization;
using Spectre.Console;
using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Commands;

/// <summary>Runs what was asked for and writes down what came out.</summary>
internal sealed class MainCommand(IAnsiConsole console)
{
    public async Task<int> RunAsync(Request request, CancellationToken cancellationToken)
    {
        var report = request.HtmlPath ?? NewReport(request.Matrix);
        var runs = new List<RunResult>();
        foreach (var options in request.Matrix ? Variant.Sensible.Select(variant => request.Options with { Variant = variant }) : [request.Options])
        {
            runs.Add(await new MainJob(options, console).RunAsync(cancellationToken));
            if (request.Matrix)
            {
                var run = runs[^1];
                console.WriteLine(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{run.Variant}: {run.StepsPerSecond:#,0} steps/s in time, {(run.Passed ? "passed" : "FAILED")}"));
            }
            else
            {
                ResultTable.Write(console, runs[0]);
            }
        }

        if (request.Matrix)
        {
            ResultTable.Write(console, runs);
        }

        if (request.JsonPath is { } json)
        {
            ResultFile.Save(json, request.Matrix ? ResultJson.Write(runs) : ResultJson.Write(runs[0]));
        }

        ResultFile.Save(report, request.Matrix ? HtmlReport.Of(runs) : HtmlReport.Of(runs[0]));
        console.WriteLine($"report: {Path.GetFullPath(report)}");
        return runs.All(run => run.Passed) ? ExitCodes.Passed : ExitCodes.Broken;
    }

    private static string NewReport(bool matrix) => Path.Combine(
        Defaults.ReportFolder,
        string.Create(
            CultureInfo.InvariantCulture, $"{(matrix ? "matrix" : "run")}-{TimeProvider.System.GetLocalNow():yyyyMMdd-HHmmss}.html"));
}
