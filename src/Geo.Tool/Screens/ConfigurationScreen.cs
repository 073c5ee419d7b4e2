using System.Globalization;
using Geo.Administration;
using Spectre.Console;

namespace Geo.Tool.Screens;

/// <summary>Shows the clusters of a configuration store.</summary>
internal static class ConfigurationScreen
{
    public static void Show(IAnsiConsole console, ConfigurationAnswer answer)
    {
        console.Line($"Version {answer.Version}. {(answer.Waiting is { } waiting ? $"Waiting: {waiting}." : "Nothing is waited for.")}");
        if (answer.Distrust is { } distrust)
        {
            console.Line(distrust);
        }

        var clusters = OverviewScreens.Table("cluster", "stage", "processed", "holds", "reached at");
        foreach (var row in answer.Clusters)
        {
            OverviewScreens.Row(
                clusters, row.Cluster, row.Stage, Number(row.Processed), Number(row.Held),
                row.EntryPoints.Count == 0 ? Words.None : string.Join(", ", row.EntryPoints));
        }

        console.Write(clusters);
    }

    private static string Number(long? number) => number?.ToString(CultureInfo.InvariantCulture) ?? Words.None;
}
