namespace Geo.Consistency.Lattices;

/// <summary>
/// One user's calls to coordination-free grains of one silo, and what they may rely on (<see cref="Level"/>; Anna's client proxy, section
/// VI-C). Reads and updates the silo's replica, at the speed of memory. One call at a time; holds nothing that must be given back.
/// </summary>
public interface ILatticeSession
{
    /// <summary>What the session may rely on.</summary>
    ConsistencyLevel Level { get; }

    /// <summary>
    /// What the session has read and written, for <see cref="ILatticeSessions.Open"/> of another silo or cluster. What all replicas have is
    /// not in it.
    /// </summary>
    /// <exception cref="GeoUnavailableException">
    /// The session has seen updates of more replicas that are not everywhere yet than a token holds; try again later.
    /// </exception>
    SessionToken Token { get; }

    /// <summary>Reads a grain.</summary>
    /// <param name="grain">Its grain type and key.</param>
    /// <param name="read">Takes what is wanted out of the state.</param>
    /// <param name="cancellationToken">Ends a wait.</param>
    /// <exception cref="GeoUnavailableException">What the session has seen elsewhere did not come here in time.</exception>
    /// <exception cref="GeoConfigurationException">
    /// The class is not of this level, has another lattice, or replicas in some clusters only (<c>Replicas</c>).
    /// </exception>
    ValueTask<TResult> ReadAsync<TLattice, TResult>(
        GrainKey grain, Func<TLattice, TResult> read, CancellationToken cancellationToken = default)
        where TLattice : ILattice<TLattice>;

    /// <summary>
    /// Updates a grain: at once and here, and elsewhere when the epoch ends; of a transaction that waits for its commit, then.
    /// </summary>
    /// <param name="grain">Its grain type and key.</param>
    /// <param name="change">
    /// Gives the delta, as that of a grain's Update does. Where updates wait for the commit it is called again, by reads and then.
    /// </param>
    /// <param name="cancellationToken">Ends a wait.</param>
    /// <exception cref="GeoUnavailableException">
    /// What the session has seen elsewhere did not come here in time; the transaction is too large; or, where updates do not wait for the
    /// commit, the grain has a stamp of a clock far ahead that is later than the transaction's. Nothing was done.
    /// </exception>
    /// <exception cref="GeoConfigurationException">
    /// The class is not of this level, has another lattice, or replicas in some clusters only (<c>Replicas</c>).
    /// </exception>
    ValueTask UpdateAsync<TLattice>(
        GrainKey grain, Func<TLattice, LatticeOrigin, TLattice> change, CancellationToken cancellationToken = default)
        where TLattice : ILattice<TLattice>;

    /// <summary>Begins a transaction. At levels that have none, this and its end do nothing.</summary>
    /// <exception cref="InvalidOperationException">One is under way.</exception>
    void Begin();

    /// <summary>
    /// Ends the transaction. From <see cref="ConsistencyLevel.ReadCommitted"/> on its updates are made now, all at once here; other
    /// replicas may show one before the other. Never conflicts.
    /// </summary>
    /// <exception cref="InvalidOperationException">None is under way.</exception>
    void Commit();

    /// <summary>
    /// Gives the transaction up. From <see cref="ConsistencyLevel.ReadCommitted"/> on nobody has seen any of it; below, its updates stay.
    /// </summary>
    /// <exception cref="InvalidOperationException">None is under way.</exception>
    void Abort();
}
