using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Embedded;

/// <summary>Opens the replica of a coordination-free grain.</summary>
internal interface ILatticeSource
{
    /// <summary>The grain.</summary>
    GrainKey Key { get; }

    /// <inheritdoc cref="IJournalSource.BeginViewWait"/>
    ViewWait BeginViewWait();

    /// <summary>Opens a session of a level, by default that of the grain's class.</summary>
    ILatticeSession OpenSession(ConsistencyLevel? level, SessionToken continues);

    /// <summary>Opens the grain's replica in this silo.</summary>
    /// <exception cref="GeoUnavailableException">There are as many as may be.</exception>
    LatticeHandle<TLattice> OpenLattice<TLattice>()
        where TLattice : ILattice<TLattice>;
}
