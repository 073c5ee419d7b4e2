namespace Geo.Consistency;

/// <summary>A term that a replica asks the others for.</summary>
/// <param name="Term">The term.</param>
/// <param name="Configuration">The configuration for which it is.</param>
/// <param name="Names">The memory of each cluster that the candidate knew when it began to ask.</param>
/// <param name="Answers">What the other clusters have answered.</param>
internal sealed record Candidacy(
    Term Term,
    ReplicaConfiguration Configuration,
    ClusterMap<long> Names,
    ClusterMap<AskAnswer> Answers);
