namespace Geo.Directory;

/// <summary>What a round was run on. A row keeps it, so that what has changed since is noticed when the row's node is gone.</summary>
/// <param name="Incarnation">The life of this cluster (<see cref="ILocalInstances.Incarnation"/>).</param>
/// <param name="Configuration">The version of the configuration whose clusters were asked.</param>
internal readonly record struct RoundBasis(long Incarnation, long Configuration);
