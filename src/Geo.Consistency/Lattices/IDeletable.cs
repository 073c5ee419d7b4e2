namespace Geo.Consistency.Lattices;

/// <summary>A lattice that can be deleted as a whole and used again.</summary>
/// <typeparam name="TSelf">The lattice itself.</typeparam>
public interface IDeletable<TSelf>
    where TSelf : ILattice<TSelf>
{
    /// <summary>The delta that deletes what is seen here.</summary>
    TSelf Delete(LatticeOrigin origin);
}
