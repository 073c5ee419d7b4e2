namespace Geo.Storage.Quorum;

/// <summary>What a majority has promised a ballot.</summary>
/// <param name="Ballot">The ballot.</param>
/// <param name="Accepted">The ballot under which the present value was accepted; none where there is none.</param>
/// <param name="Current">The value with the highest ballot among the promises; null where there is none.</param>
/// <param name="IsDecided">True when all promises show the same: then it is decided, and need not be repeated (R8).</param>
/// <param name="Floor">The highest floor among them; null where not all told one.</param>
internal sealed record Promises(Ballot Ballot, Ballot Accepted, QuorumValue? Current, bool IsDecided, Ballot? Floor)
{
    /// <summary>Reads the answers to a prepare.</summary>
    public static Promises Of(Ballot ballot, Answers answers)
    {
        var promised = answers.Replies.OfType<PromisedReply>().ToList();
        var highest = promised.MaxBy(p => p.Accepted)!;
        return new(
            ballot, highest.Accepted, highest.Value, promised.TrueForAll(p => p.Accepted == highest.Accepted),
            promised.TrueForAll(p => p.Floor is not null) ? promised.Max(p => p.Floor!.Value) : null);
    }
}
