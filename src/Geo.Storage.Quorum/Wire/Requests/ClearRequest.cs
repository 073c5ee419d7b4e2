namespace Geo.Storage.Quorum;

/// <summary>
/// Your list of stores does not name yours: delete all your rows, and call yourself otherwise, so that you may be taken in again (rule R5).
/// Ends before it is done where there are many.
/// </summary>
internal sealed record ClearRequest : QuorumRequest;
