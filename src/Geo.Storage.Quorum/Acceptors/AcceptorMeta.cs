namespace Geo.Storage.Quorum;

/// <summary>What an acceptor keeps of itself, in one row beside those of keys.</summary>
/// <param name="Store">
/// Drawn when the store is first used: one that replaces a lost one calls itself otherwise, and so does one that was emptied.
/// </param>
/// <param name="Floor">What every key without a value was promised at most (R2, R12, R16).</param>
/// <param name="Kept">
/// The latest list of stores that it knows of: the one that it works with, or, where that does not name its store, one by which others do.
/// Null before it has heard of any.
/// </param>
/// <param name="Forgotten">
/// Above the tag of every value that was forgotten while it was an acceptor, or may have been before (R9, R12): the floor as far as
/// forgetting has raised it, and not a later list.
/// </param>
/// <param name="Rows">What becomes of its rows.</param>
internal sealed record AcceptorMeta(
    Guid Store, Ballot Floor, StoreList? Kept, Ballot Forgotten, AcceptorRows Rows = AcceptorRows.Used)
{
    /// <summary>Of a store that is used for the first time.</summary>
    public static AcceptorMeta New(Guid store) => new(store, Ballot.None, null, Ballot.None);

    /// <summary>
    /// True while nothing but late first rows, without a value, may stand in the store, and it has a name that no list had: it may be taken
    /// in (rule R5).
    /// </summary>
    public bool IsFresh => Rows == AcceptorRows.Cleared;
}
