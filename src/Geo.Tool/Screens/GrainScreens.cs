using Geo.Administration;
using Spectre.Console;

namespace Geo.Tool.Screens;

/// <summary>Shows where grains are.</summary>
internal static class GrainScreens
{
    public static void Grain(IAnsiConsole console, GrainAnswer answer)
    {
        var since = answer.Since is { } at ? $", since {Words.Time(at)}" : "";
        var where = answer.Cluster is { } cluster ? $"in {cluster}, on silo {answer.Node}{since}" : "in no cluster";
        console.Line($"{answer.Key}: {where}. {answer.Why}");
        var clusters = OverviewScreens.Table("asked", "state", "cluster", "silo", "why");
        foreach (var view in answer.Clusters)
        {
            OverviewScreens.Row(
                clusters, view.Asked, view.State ?? Words.None, view.Cluster ?? Words.None,
                view.Node is null ? Words.None : view.NodeState is null or "Living" ? view.Node : $"{view.Node} ({view.NodeState})",
                view.Why);
        }

        console.Write(clusters);
        if (answer.History is { } history)
        {
            History(console, history);
        }
    }

    private static void History(IAnsiConsole console, HistoryView history)
    {
        if (history.Moves.Count == 0)
        {
            console.Line("No silo remembers a move of it.");
        }
        else
        {
            var moves = OverviewScreens.Table("when", "told by", "what", "from", "to", "why");
            foreach (var move in history.Moves)
            {
                OverviewScreens.Row(
                    moves, Words.Time(move.At), move.Told, move.Kind, Words.Place(move.From), Words.Place(move.To), move.Why);
            }

            console.Write(moves);
        }

        if (history.Forgotten > 0)
        {
            console.Line($"Silos have forgotten {history.Forgotten} older moves, of any grain.");
        }

        if (history.SilentSilos > 0)
        {
            console.Line($"{history.SilentSilos} silos did not say what they remember.");
        }
    }

    public static void Doubtful(IAnsiConsole console, DoubtfulPage page)
    {
        if (page.Grains.Count == 0)
        {
            console.Line("No grain is Doubtful.");
            return;
        }

        var grains = OverviewScreens.Table("grain", "state", "silo", "which is");
        foreach (var grain in page.Grains)
        {
            OverviewScreens.Row(grains, grain.Key, grain.State, grain.Node ?? Words.None, grain.NodeState);
        }

        console.Write(grains);
        if (page.Next is { } next)
        {
            console.Line($"There are more: geo doubtful --after {next}");
        }
    }
}
