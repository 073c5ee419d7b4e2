using System.Globalization;
using Geo.Administration;
using Spectre.Console;

namespace Geo.Tool.Screens;

/// <summary>Shows who keeps the stores by majority.</summary>
internal static class KeepersScreen
{
    public static void Show(IAnsiConsole console, KeepersAnswer answer)
    {
        if (answer.Stores.Count == 0)
        {
            console.Line("The clusters keep no store together.");
            return;
        }

        var stores = OverviewScreens.Table("store", "version", "kept by", "last change");
        foreach (var row in answer.Stores)
        {
            OverviewScreens.Row(
                stores, row.Store, row.Version?.ToString(CultureInfo.InvariantCulture) ?? Words.None,
                row.Fault ?? string.Join(", ", row.Clusters),
                row.Version is null ? Words.None : row.Settled ? "through" : "not every key is written yet");
        }

        console.Write(stores);
    }
}
