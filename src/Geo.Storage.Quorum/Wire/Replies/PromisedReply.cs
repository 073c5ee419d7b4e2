namespace Geo.Storage.Quorum;

/// <summary>Promised.</summary>
/// <param name="Accepted">The ballot under which the value was accepted; none where there is none.</param>
/// <param name="Value">The value.</param>
/// <param name="Floor">The floor, where nothing is there or it was asked for; null elsewhere.</param>
internal sealed record PromisedReply(Ballot Accepted, QuorumValue? Value, Ballot? Floor) : QuorumReply;
