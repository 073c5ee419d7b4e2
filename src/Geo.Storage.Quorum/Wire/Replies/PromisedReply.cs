namespace Geo.Storage.Quorum;

/// <summary>Promised; what was accepted before, and the floor where nothing was.</summary>
internal sealed record PromisedReply(Ballot Accepted, QuorumValue? Value, Ballot Floor) : QuorumReply;
