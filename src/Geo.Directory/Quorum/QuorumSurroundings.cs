namespace Geo.Directory;

/// <summary>What a silo is among the silos of its cluster, as the ownership of grains by majority needs it.</summary>
/// <param name="Node">The silo: another name for each start of it.</param>
/// <param name="MayBeCalled">True of a silo of this cluster to which calls can be sent.</param>
internal sealed record QuorumSurroundings(string Node, Func<string, bool> MayBeCalled);
