namespace Geo.Storage.Quorum;

/// <summary>What stands for the answer of a cluster that has no such service. It is never sent.</summary>
internal sealed record StrangerReply(ClusterId Cluster) : QuorumReply;
