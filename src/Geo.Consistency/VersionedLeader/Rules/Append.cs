namespace Geo.Consistency;

/// <summary>A leader tells a follower its log.</summary>
/// <param name="Term">The leader's term.</param>
/// <param name="Configuration">The number of the term's configuration.</param>
/// <param name="Incarnation">The leader's memory, as it is now.</param>
/// <param name="Named">The memory of the receiver that the term named; 0 for none.</param>
/// <param name="Step">The step of the leader's log.</param>
/// <param name="Confirmed">The step known to be confirmed.</param>
/// <param name="ConfirmsAtOnce">True when the receiver and the leader are a majority, so that what it adopts is confirmed.</param>
/// <param name="Round">The round of appends; 0 for a reply to a batch.</param>
/// <param name="Log">The log; null where the receiver has acknowledged this step.</param>
internal sealed record Append(
    Term Term, long Configuration, long Incarnation, long Named, long Step, long Confirmed, bool ConfirmsAtOnce, long Round,
    ReplicaLog? Log);
