namespace Geo.Consistency.Lattices;

/// <summary>A message that a replica wants sent.</summary>
/// <param name="To">Where to.</param>
/// <param name="Message">The message.</param>
/// <param name="Origin">Where it came from, if it is passed on; null for one of this replica.</param>
internal readonly record struct LatticeSend(LatticeAddress To, byte[] Message, LatticeAddress? Origin = null);
