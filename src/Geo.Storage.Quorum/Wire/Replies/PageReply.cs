namespace Geo.Storage.Quorum;

/// <summary>A page of an acceptor's rows.</summary>
/// <param name="Rows">The keys with what is told of them, in code-point order.</param>
/// <param name="IsLast">True when no more follow.</param>
internal sealed record PageReply(IReadOnlyList<PageRow> Rows, bool IsLast) : QuorumReply;
