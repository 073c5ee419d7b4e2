namespace Geo.Administration;

/// <summary>What another cluster lacks of a class of coordination-free grains.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="GrainClass">The class.</param>
/// <param name="Grains">How many grains.</param>
/// <param name="Seconds">How old the oldest update is that it lacks.</param>
internal sealed record LagView(string Cluster, string GrainClass, int Grains, double Seconds);
