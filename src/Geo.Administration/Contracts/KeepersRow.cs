namespace Geo.Administration;

/// <summary>A store in a <see cref="KeepersAnswer"/>.</summary>
/// <param name="Store">Its name.</param>
/// <param name="Version">The version of the list of the clusters that keep it; null where it is not known.</param>
/// <param name="Clusters">Those clusters.</param>
/// <param name="Settled">True where the last change of them is through.</param>
/// <param name="Fault">Why they are not known; null where they are.</param>
internal sealed record KeepersRow(string Store, long? Version, IReadOnlyList<string> Clusters, bool Settled, string? Fault);
