namespace Geo.Consistency.Lattices;

/// <summary>What one other cluster lacks of one class, as far as it has said.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="GrainClass">The class.</param>
/// <param name="Grains">How many grains have updates made here that it has not acknowledged.</param>
/// <param name="Lag">How long ago the grain of these that was updated here longest ago was; exact to an epoch.</param>
internal readonly record struct LatticeLag(ClusterId Cluster, string GrainClass, int Grains, TimeSpan Lag);
