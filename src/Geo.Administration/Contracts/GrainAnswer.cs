namespace Geo.Administration;

/// <summary>Where a single-instance grain is, by the word of every cluster.</summary>
/// <param name="Key">The grain.</param>
/// <param name="Cluster">The cluster that has it; null when none says so.</param>
/// <param name="Node">Its silo there.</param>
/// <param name="Since">
/// Since when it is on that silo, by that silo's clock; null where it is nowhere, or no silo remembers how it came there.
/// </param>
/// <param name="Why">Why it is there, or not known, for people.</param>
/// <param name="Clusters">What each cluster said.</param>
/// <param name="History">Its latest moves, as far as silos remember them; null from a silo of an earlier version.</param>
internal sealed record GrainAnswer(
    string Key, string? Cluster, string? Node, DateTimeOffset? Since, string Why, IReadOnlyList<GrainView> Clusters,
    HistoryView? History = null);
