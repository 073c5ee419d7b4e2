namespace Geo.Consistency.Lattices;

/// <summary>
/// A bounded join semilattice (Anna section III): immutable values that merge to their least upper bound, so that replicas which have
/// merged the same updates are equal, in whatever order, how often and in whatever portions they received them.
/// </summary>
/// <remarks>
/// <para>
/// <see cref="Merge(TSelf)"/> is associative, commutative and idempotent, and <see cref="Bottom"/> is its neutral element. A delta has the
/// type of the state: mutators return it, merged into the state it is the update, and merged with other deltas it is all of them (Anna's
/// merge at the sender, section V). Mutators never change the value that they are called on.
/// </para>
/// <para>
/// The laws hold for values that updates can reach: a <see cref="Dot"/>, a <see cref="Stamp"/> and a row of a counter are each written
/// once and by their own source. A merge that meets two contents of one of them throws <see cref="GeoSerializationException"/> where it
/// can see it.
/// </para>
/// </remarks>
/// <typeparam name="TSelf">The lattice itself.</typeparam>
public interface ILattice<TSelf> : ILatticeForm<TSelf>
    where TSelf : ILattice<TSelf>
{
    /// <summary>The least value: merged with any value it gives that value.</summary>
    static abstract TSelf Bottom { get; }

    /// <summary>True where parts of it are dotted, for which <see cref="Close"/> is.</summary>
    static virtual bool HasDots => false;

    /// <summary>True when nothing would be lost if only what its contexts have seen were kept of it.</summary>
    bool IsEmpty => Equals(TSelf.Bottom);

    /// <summary>The least upper bound of this value and another.</summary>
    TSelf Merge(TSelf other);

    /// <summary>
    /// The least upper bound of this value and a delta, known to have all updates of a source up to a number: the same as
    /// <see cref="Merge(TSelf)"/> and <see cref="Close"/>, in one step.
    /// </summary>
    TSelf Merge(TSelf delta, ReplicaId source, long through) =>
        TSelf.HasDots ? Merge(delta).Close(VectorClock.Of(source, through)) : Merge(delta);

    /// <summary>
    /// This value, whose dotted parts know that all updates to this object up to these were seen; itself where it has none. For who knows
    /// it: their source, and who has received its updates without a gap. See <see cref="CausalContext.Close"/>.
    /// </summary>
    TSelf Close(VectorClock through) => (TSelf)this;
}
