namespace Geo.Administration;

/// <summary>Where a single-instance grain is, by the word of every cluster.</summary>
/// <param name="Key">The grain.</param>
/// <param name="Cluster">The cluster that has it; null when none says so.</param>
/// <param name="Node">Its silo there.</param>
/// <param name="Why">Why it is there, or not known, for people.</param>
/// <param name="Clusters">What each cluster said.</param>
internal sealed record GrainAnswer(string Key, string? Cluster, string? Node, string Why, IReadOnlyList<GrainView> Clusters);
