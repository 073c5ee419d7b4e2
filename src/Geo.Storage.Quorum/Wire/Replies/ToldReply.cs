namespace Geo.Storage.Quorum;

/// <summary>To <see cref="ReadRequest"/>.</summary>
internal sealed record ToldReply(Ballot Promised, Ballot Accepted, QuorumValue? Value) : QuorumReply;
