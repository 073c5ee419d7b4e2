namespace Geo.Storage.Quorum;

/// <summary>The floor is raised; or the row is gone.</summary>
internal sealed record DoneReply : QuorumReply;
