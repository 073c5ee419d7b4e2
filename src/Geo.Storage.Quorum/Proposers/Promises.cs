namespace Geo.Storage.Quorum;

/// <summary>What a majority has promised a ballot.</summary>
/// <param name="Stores">The list of stores whose majority it is: the one of the ballot's version (R15).</param>
/// <param name="Ballot">The ballot.</param>
/// <param name="Accepted">The ballot under which the present value was accepted; none where there is none.</param>
/// <param name="Current">The value with the highest ballot among the promises; null where there is none.</param>
/// <param name="IsDecided">True when all promises show the same: then it is decided, and need not be repeated (R8).</param>
/// <param name="Forgotten">
/// Above the tag of every value that was forgotten: the lowest that one of them has told, for nothing is forgotten without every acceptor;
/// null where none told.
/// </param>
internal sealed record Promises(
    StoreList Stores, Ballot Ballot, Ballot Accepted, QuorumValue? Current, bool IsDecided, Ballot? Forgotten)
{
    /// <summary>Reads the answers to a prepare.</summary>
    public static Promises Of(StoreList stores, Ballot ballot, Answers answers)
    {
        var promised = answers.Replies.OfType<PromisedReply>().ToList();
        var highest = promised.MaxBy(p => p.Accepted)!;
        return new(
            stores, ballot, highest.Accepted, highest.Value, promised.TrueForAll(p => p.Accepted == highest.Accepted),
            promised.Min(p => p.Forgotten));
    }
}
