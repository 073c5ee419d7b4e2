namespace Geo;

/// <summary>What another cluster lacks of one class of coordination-free grains, as far as it has said.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="GrainClass">The class.</param>
/// <param name="Grains">How many grains have updates made here that it has not acknowledged.</param>
/// <param name="Lag">How long ago the oldest of these updates was made, to the length of an epoch.</param>
public sealed record ReplicationLag(ClusterId Cluster, string GrainClass, int Grains, TimeSpan Lag);
