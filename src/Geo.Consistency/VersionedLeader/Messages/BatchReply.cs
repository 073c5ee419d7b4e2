namespace Geo.Consistency;

/// <summary>What a cluster has answered to a batch.</summary>
/// <param name="Answer">How.</param>
/// <param name="Latest">What the leader tells; null where the cluster does not lead.</param>
/// <param name="Highest">The highest term that a cluster knows which does not lead.</param>
/// <param name="IsUndecided">True when this message certainly decided nothing.</param>
/// <param name="Reason">Why a cluster does not lead, for people.</param>
internal sealed record BatchReply(BatchAnswer Answer, Append? Latest, Term Highest, bool IsUndecided, string? Reason);
