namespace Geo.Storage.Quorum;

/// <summary>
/// How the register begins: once every acceptor has said what its store is, all of them keep the same list of stores. Where a
/// majority keeps a list, that is the one; where one acceptor does, the others are offered that. A new list needs the word of all that they
/// have none, and of every other cluster that is known that it knows of none, so that a store that was lost is never taken for one that has
/// not begun (rule R5): whoever keeps the register today need not be one of those that began it. Each acceptor keeps the first list that
/// names its own store, so that no two lists ever have a majority. A later version was decided: one that knows it is enough, and
/// of several of which none came after the other one that serves.
/// </summary>
/// <param name="Adopted">The list that a majority keeps; null while there is none.</param>
/// <param name="Offered">The list to offer those that keep none; null to ask again.</param>
/// <param name="Obstacle">Why there is neither, as a sentence; empty where there is one.</param>
internal sealed record Founding(StoreList? Adopted, StoreList? Offered, string Obstacle = "")
{
    /// <summary>Decides by what the clusters have said of themselves.</summary>
    /// <param name="configuration">The clusters that are to begin.</param>
    /// <param name="met">What those that use the register have said.</param>
    /// <param name="others">All other clusters that are known.</param>
    /// <param name="strangers">Those of them that do not use the register.</param>
    public static Founding Of(
        QuorumConfiguration configuration, IReadOnlyList<MetReply> met, IEnumerable<ClusterId> others, IEnumerable<ClusterId> strangers)
    {
        var said = met.Where(m => m.Configuration == configuration.InWords).ToList();
        if (StoreList.Latest([.. said.Select(m => m.Kept).OfType<StoreList>()])
            .MaxBy(kept => (!kept.IsForced, kept.Version)) is { Version: > 1 } later)
        {
            return new(later, null);
        }

        var ours = said.Where(m => configuration.Acceptors.Contains(m.Cluster)).ToList();
        var most = ours.Where(m => m.Kept is not null).GroupBy(m => m.Kept!.Digest).MaxBy(g => g.Count())?.ToList();
        if (most is not null)
        {
            return new(most.Count >= configuration.Majority ? most[0].Kept : null, most[0].Kept);
        }

        if (said.Find(m => m.Kept is not null) is { } witness)
        {
            return new(null, null, $" Cluster {witness.Cluster} has worked with the stores of {witness.Kept}, and none of these answers as "
                + "one of them: it is not begun anew with others. Bring them back.");
        }

        var awaited = configuration.Acceptors.Union(others.Except(strangers)).Except(said.Select(m => m.Cluster)).ToList();
        return awaited.Count > 0
            ? new(null, null, $" It has not begun as far as is known, and begins when all clusters have said so: "
                + $"[{string.Join(", ", awaited.Order())}] have not. Start them, or take those that are no more out of the settings.")
            : new(null, new StoreList(1, ours.Select(m => KeyValuePair.Create(m.Cluster, m.Store))));
    }
}
