namespace Geo.Consistency;

/// <summary>A memory that was given to another silo of the cluster.</summary>
/// <param name="Offer">The offer for which it was given.</param>
/// <param name="Node">The silo that asked for it.</param>
/// <param name="Answer">What that silo was answered.</param>
internal readonly record struct GivenMemory(long Offer, string Node, byte[] Answer);
