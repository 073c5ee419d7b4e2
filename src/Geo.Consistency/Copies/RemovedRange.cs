namespace Geo.Consistency;

/// <summary>Updates that were taken out of a queue, by their numbers.</summary>
/// <param name="First">The number of the first one.</param>
/// <param name="Last">The number of the last one.</param>
/// <param name="AreTold">True when whoever raised them has heard of it.</param>
internal readonly record struct RemovedRange(long First, long Last, bool AreTold);
