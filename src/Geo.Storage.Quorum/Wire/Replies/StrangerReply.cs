namespace Geo.Storage.Quorum;

/// <summary>Not answered: the acceptor keeps values for another configuration than the one that asks.</summary>
/// <param name="Configuration">The acceptor's, in words.</param>
internal sealed record StrangerReply(string Configuration) : QuorumReply;
