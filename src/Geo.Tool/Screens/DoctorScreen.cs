using Geo.Administration;
using Spectre.Console;

namespace Geo.Tool.Screens;

/// <summary>Shows what is wrong.</summary>
internal static class DoctorScreen
{
    public static void Show(IAnsiConsole console, Overview overview)
    {
        foreach (var finding in overview.Findings)
        {
            console.Line($"{finding.Name} ({finding.Subject}): {finding.Text}");
            console.Line($"  {finding.Advice}");
        }

        if (overview.Findings.Count == 0)
        {
            console.Line($"Nothing is wrong, as {overview.Cluster} sees it.");
        }
    }
}
