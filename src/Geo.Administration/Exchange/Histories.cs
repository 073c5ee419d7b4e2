using Geo.Directory;

namespace Geo.Administration;

/// <summary>Reads what silos remember of moves, and puts the words of several clusters together.</summary>
internal static class Histories
{
    /// <summary>How many moves are shown of a grain, and of all grains.</summary>
    public const int Most = 20;

    /// <summary>What the silos of this cluster remember.</summary>
    /// <param name="silo">The silo that asks them.</param>
    /// <param name="key">Of this grain; of any when null.</param>
    /// <param name="answerTimeout">How long whoever asked waits, for this cluster's answer as a whole.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async ValueTask<HistoryView> ReadAsync(
        ISiloAccess silo, GrainKey? key, TimeSpan answerTimeout, CancellationToken cancellationToken)
    {
        // One silo that hangs must not take the word of its cluster along.
        var recent = await silo.Moves.ReadAsync(key, Most, answerTimeout / 2, cancellationToken);
        var told = silo.Administration.Cluster.Name;
        return new()
        {
            Moves = [.. recent.Moves.Select(move => new MoveView(
                move.At, move.Key.ToString(), move.Kind.ToString(), told, View(move.From), View(move.To), move.Why))],
            Forgotten = recent.Forgotten,
            SilentSilos = recent.Silent,
        };
    }

    /// <summary>The words of several clusters, each by its own clocks; what none of them said is left out.</summary>
    public static HistoryView Together(IEnumerable<HistoryView?> histories)
    {
        var all = histories.OfType<HistoryView>().Where(history => history.IsWhole).ToList();
        return new()
        {
            Moves = [.. all.SelectMany(history => history.Moves).OrderByDescending(move => move.At).Take(Most)],
            Forgotten = all.Sum(history => history.Forgotten),
            SilentSilos = all.Sum(history => history.SilentSilos),
        };
    }

    /// <summary>Since when an instance is where it is, by its own cluster's word; null where none remembers.</summary>
    public static DateTimeOffset? SinceWhen(HistoryView history, string? cluster, string? silo) => history.Moves.FirstOrDefault(
        move => move.Told == cluster && move.To is { } to && (to.Cluster, to.Silo) == (cluster, silo)
            && move.Kind != nameof(MoveKind.Resolved))?.At;

    private static PlaceView? View(GrainPlace place) => place.Cluster.IsNone ? null : new(place.Cluster.Name, place.Silo);
}
