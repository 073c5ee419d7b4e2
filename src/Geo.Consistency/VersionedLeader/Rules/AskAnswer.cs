namespace Geo.Consistency;

/// <summary>
/// What a replica answers a candidate. A refusal is an answer of its own kind: it must never pass for "no answer", nor for "knows nothing".
/// </summary>
/// <param name="IsGranted">True when the replica follows no earlier term from now on.</param>
/// <param name="Promised">The highest term that it has promised; the candidate's own where that is granted.</param>
/// <param name="Configuration">The newest configuration that it has heard of.</param>
/// <param name="Incarnation">Its memory.</param>
/// <param name="IsSeated">True when it has memory since a term gave it a seat; false when it may have forgotten.</param>
/// <param name="Known">The memories of other clusters that it knows.</param>
/// <param name="Log">Its log where that is newer than the candidate's, otherwise null.</param>
internal sealed record AskAnswer(
    bool IsGranted,
    Term Promised,
    long Configuration,
    long Incarnation,
    bool IsSeated,
    ClusterMap<long> Known,
    ReplicaLog? Log);
