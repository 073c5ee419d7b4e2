namespace Geo.Storage.Quorum;

/// <summary>The floor is raised; or the row is gone, or was another one.</summary>
internal sealed record DoneReply : QuorumReply;
