namespace Geo;

/// <summary>
/// The grain has a replica in every cluster, or in <see cref="Replicas"/>, which serves it at the speed of memory and asks nobody; updates
/// made anywhere are merged everywhere later (Anna, ICDE 2018). For classes that derive from <c>LatticeGrain</c>, or from
/// <c>JournaledGrain</c> with a <c>LatticeState</c>.
/// </summary>
/// <remarks>
/// Guarantee: replicas that have received the same updates are in the same state, and every update comes to every replica that lives;
/// beyond that, <see cref="Level"/>. Whatever two clusters do at one time is merged as the state's lattice says, and never refused: what
/// needs one order of all updates, such as a condition on the latest state, needs a versioned grain.
/// </remarks>
[AttributeUsage(AttributeTargets.Class)]
public sealed class CoordinationFreeAttribute : Attribute
{
    /// <summary>
    /// The most that sessions over grains of this class may ask for; <see cref="ConsistencyLevel.SimpleEventual"/> by default.
    /// </summary>
    public ConsistencyLevel Level { get; init; }

    /// <summary>
    /// How many clusters have a replica of each grain; 0, the default, for all. Which ones follows from the grain's key and the names of
    /// the clusters, by rendezvous hashing; calls made in another cluster go to the first of them that is linked. A crash of fewer than so
    /// many clusters loses at most what is younger than an epoch and the time of a message; one of all of them at once loses the grain,
    /// but for what <see cref="Storage"/> has. A cluster without one that calls a grain much may take one for a while
    /// (<c>LatticeOptions.HotRate</c>). Only with <see cref="ConsistencyLevel.SimpleEventual"/>: sessions read and write replicas of their
    /// own silo, which may have none. The same in all clusters.
    /// </summary>
    public int Replicas { get; init; }

    /// <summary>
    /// How many activations of a grain each silo may have, to serve a hot one on several cores: 1 by default. They share the silo's
    /// replica, so that each shows what the others have updated, and every <see cref="Level"/> holds as with one. A call goes to one that
    /// has no other, a new one where all have some and there may be more. Calls that one caller makes at one time may run in any order;
    /// what the class keeps beside its state, in fields, each activation has for itself. On Orleans the silo that is called serves the
    /// call, as with <c>[StatelessWorker]</c>, so that a grain is served by the replicas of all silos; with 1 it is where Orleans has
    /// activated it.
    /// </summary>
    public int PerSilo { get; init; } = 1;

    /// <summary>
    /// In how many clusters, this one included, <c>ConfirmEvents</c> of a <c>JournaledGrain</c> waits for updates to be known; 2 by
    /// default, or all, where there are fewer.
    /// </summary>
    public int ConfirmIn { get; init; } = 2;

    /// <summary>
    /// The name under which the host registered a conditional store that keeps the states of the local cluster; null, the default, for
    /// memory alone. A cluster's states are its own: clusters may share a store or not. All silos of a cluster need the same one.
    /// Not for the levels from <see cref="ConsistencyLevel.MonotonicReads"/> to <see cref="ConsistencyLevel.Causal"/>: states are stored
    /// one by one, and a silo that starts with them would show updates without those that they follow.
    /// </summary>
    public string? Storage { get; init; }
}
