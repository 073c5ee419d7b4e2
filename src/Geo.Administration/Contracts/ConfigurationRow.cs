namespace Geo.Administration;

/// <summary>A cluster in a <see cref="ConfigurationAnswer"/>.</summary>
/// <param name="Cluster">Its name.</param>
/// <param name="Stage">Joining, member, leaving, or outside.</param>
/// <param name="EntryPoints">Where it is reached.</param>
/// <param name="Processed">The version that all of its silos have processed; null where it has said nothing.</param>
/// <param name="Held">How many grains it holds still, where it may own none and has counted.</param>
internal sealed record ConfigurationRow(
    string Cluster, string Stage, IReadOnlyList<string> EntryPoints, long? Processed, long? Held);
