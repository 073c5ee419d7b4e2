namespace Geo.Storage.Quorum;

/// <summary>Neither promised nor accepted: a higher ballot was promised.</summary>
internal sealed record RefusedReply(Ballot Promised) : QuorumReply;
