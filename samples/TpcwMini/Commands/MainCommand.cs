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
        if (request.Matrix is { } plan)
        {
            return await new MatrixCommand(console).RunAsync(request, plan, cancellationToken);
        }

        var run = await new MainJob(request.Options, console).RunAsync(cancellationToken);
        ResultTable.Write(console, run);
        if (request.JsonPath is { } json)
        {
            ResultFile.Save(json, ResultJson.Write(run));
        }

        var report = request.HtmlPath ?? NewReport("run");
        ResultFile.Save(report, HtmlReport.Of(run));
        console.WriteLine($"report: {Path.GetFullPath(report)}");
        return run.Passed ? ExitCodes.Passed : ExitCodes.Broken;
    }

    /// <summary>A new file for a report, by its kind and the time.</summary>
    internal static string NewReport(string kind) => Path.Combine(
        Defaults.ReportFolder,
        string.Create(CultureInfo.InvariantCulture, $"{kind}-{TimeProvider.System.GetLocalNow():yyyyMMdd-HHmmss}.html"));
}
