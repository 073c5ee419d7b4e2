namespace Geo.Storage.Quorum;

/// <summary>What an acceptor answers.</summary>
internal abstract record QuorumReply;
