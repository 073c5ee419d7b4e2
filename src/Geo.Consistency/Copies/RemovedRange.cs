namespace Geo.Consistency;

/// <summary>Updates that were taken out of a queue.</summary>
/// <param name="Numbers">Their numbers.</param>
/// <param name="AreTold">True when whoever raised them has heard of it.</param>
internal readonly record struct RemovedRange(NumberRange Numbers, bool AreTold);
