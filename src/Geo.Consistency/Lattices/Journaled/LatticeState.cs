namespace Geo.Consistency.Lattices;

/// <summary>
/// The state of a coordination-free <c>JournaledGrain</c>: its <c>Apply</c> methods, or the grain's <c>TransitionState</c>, make updates of
/// a lattice from events. An event is applied once, where it is raised; other replicas receive what it made, not the event.
/// </summary>
/// <typeparam name="TLattice">The lattice.</typeparam>
public abstract class LatticeState<TLattice> : ILatticeState
    where TLattice : ILattice<TLattice>
{
    private LatticeHandle<TLattice>? _handle;

    /// <summary>
    /// The state of the silo's replica: all updates made here, and those of others that have arrived. Bottom before the grain is active.
    /// </summary>
    public TLattice Value => _handle is null ? TLattice.Bottom : _handle.State;

    /// <summary>Makes an update, at once and here; other silos and clusters receive it when the epoch ends.</summary>
    /// <param name="change">
    /// Gives the delta, such as <c>(state, origin) =&gt; state.Add(origin.Source, 1)</c>. It holds a lock of the silo: it must be short,
    /// wait for nothing and touch nothing else. If it throws, nothing has changed.
    /// </param>
    /// <exception cref="InvalidOperationException">The grain is not active.</exception>
    protected void Update(Func<TLattice, LatticeOrigin, TLattice> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        (_handle ?? throw new InvalidOperationException("The state is that of no active grain: raise an event instead.")).Update(change);
    }

    IStateReplica ILatticeState.Attach(LatticeReplicas replicas, GrainKey grain) =>
        new StateReplica<TLattice>(_handle = replicas.Open<TLattice>(grain));
}
