namespace Geo;

/// <summary>When an update of a volatile grain with an instance in every cluster is confirmed, and so what a crash can take.</summary>
public enum UpdateConfirmation
{
    /// <summary><see cref="Leader"/> where two clusters are configured, otherwise <see cref="Replicated"/>.</summary>
    Default,

    /// <summary>
    /// Once a majority of the clusters has it in memory. Lost only when a majority has lost its memory at once. Two clusters are a majority
    /// only together: while one is away nothing is confirmed, and nothing is read linearizably.
    /// </summary>
    Replicated,

    /// <summary>
    /// Once the leader has it in memory (GEO section 3.5): no message is waited for at the leader. When the leader's memory is lost, so is
    /// what no other cluster had received.
    /// </summary>
    Leader,
}
