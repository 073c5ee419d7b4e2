namespace Geo.Storage.Quorum;

/// <summary>Promised.</summary>
/// <param name="Accepted">The ballot under which the value was accepted; none where there is none.</param>
/// <param name="Value">The value.</param>
/// <param name="Forgotten">
/// Above the tag of every value that may have been forgotten (<see cref="AcceptorMeta.Forgotten"/>), where nothing is there or it was asked
/// for; null elsewhere.
/// </param>
internal sealed record PromisedReply(Ballot Accepted, QuorumValue? Value, Ballot? Forgotten) : QuorumReply;
