namespace Geo.Administration;

/// <summary>Where the instance of a grain was, or is.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Silo">The silo there; null where that is not known.</param>
internal sealed record PlaceView(string Cluster, string? Silo);
