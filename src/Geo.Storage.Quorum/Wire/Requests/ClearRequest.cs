namespace Geo.Storage.Quorum;

/// <summary>
/// Your list of stores does not name yours: delete all your rows, and call yourself otherwise, so that you may be taken in again (rule R5).
/// Ends before it is done where there are many.
/// </summary>
/// <param name="Now">The list whose register takes you in: what you have heard of another register counts no more.</param>
internal sealed record ClearRequest(StoreList Now) : QuorumRequest;
