namespace Geo.Storage.Quorum;

/// <summary>
/// How the register begins: once every acceptor has said what its store is, all of them keep the same list of stores. Where a
/// majority keeps a list, that is the one; where one acceptor does, the others are offered that. A new list needs the word of all that they
/// have none, so that a store that was lost is never taken for one that has not begun (rule R5). Each acceptor keeps the first list that
/// names its own store, so that no two lists ever have a majority. A later version was decided: one that keeps it is enough.
/// </summary>
/// <param name="Adopted">The list that a majority keeps; null while there is none.</param>
/// <param name="Offered">The list to offer those that keep none; null to ask again.</param>
internal sealed record Founding(StoreList? Adopted, StoreList? Offered)
{
    /// <summary>Decides by what acceptors have said of themselves.</summary>
    public static Founding Of(QuorumConfiguration configuration, IReadOnlyList<MetReply> met)
    {
        if (met.Where(m => m.Configuration == configuration.InWords).MaxBy(m => m.Kept?.Version ?? 0) is { Kept: { Version: > 1 } later })
        {
            return new(later, null);
        }

        var ours = met.Where(m => m.Configuration == configuration.InWords && configuration.Acceptors.Contains(m.Cluster)).ToList();
        var most = ours.Where(m => m.Kept is not null).GroupBy(m => m.Kept!.Digest).MaxBy(g => g.Count())?.ToList();
        if (most is not null)
        {
            return new(most.Count >= configuration.Majority ? most[0].Kept : null, most[0].Kept);
        }

        return new(null, ours.Count < configuration.Acceptors.Count
            ? null
            : new StoreList(1, ours.Select(m => KeyValuePair.Create(m.Cluster, m.Store))));
    }
}
