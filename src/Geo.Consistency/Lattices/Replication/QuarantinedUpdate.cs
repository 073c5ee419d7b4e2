namespace Geo.Consistency.Lattices;

/// <summary>An update of another replica that could not be merged, and was put aside.</summary>
/// <param name="Grain">The grain.</param>
/// <param name="From">The replica that sent it.</param>
/// <param name="Reason">Why, for people.</param>
internal sealed record QuarantinedUpdate(GrainKey Grain, ReplicaId From, string Reason);
