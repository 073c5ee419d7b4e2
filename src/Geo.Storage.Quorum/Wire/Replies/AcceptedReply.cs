namespace Geo.Storage.Quorum;

/// <summary>Accepted, now or before; what is promised since.</summary>
internal sealed record AcceptedReply(Ballot Promised) : QuorumReply;
