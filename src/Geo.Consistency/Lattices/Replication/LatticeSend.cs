namespace Geo.Consistency.Lattices;

/// <summary>A message that a replica wants sent.</summary>
/// <param name="To">The cluster; any of its silos may take it.</param>
/// <param name="Message">The message.</param>
internal readonly record struct LatticeSend(ClusterId To, byte[] Message);
