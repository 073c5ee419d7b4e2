using System.Reflection;

namespace Geo.Consistency.Lattices;

/// <summary>A class of grains and its lattice.</summary>
internal abstract class LatticeClass(string name, uint typeCode, ConsistencyLevel level)
{
    /// <summary>The class of a grain type, whose lattice is known at run time only.</summary>
    internal static LatticeClass Of(Type lattice, string name, ConsistencyLevel level) => (LatticeClass)Activator.CreateInstance(
        typeof(LatticeClass<>).MakeGenericType(lattice), BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public,
        binder: null, [name, level], culture: null)!;

    /// <summary>The grain type.</summary>
    internal string Name => name;

    /// <summary>The lattice, as replicas compare it.</summary>
    internal uint TypeCode => typeCode;

    /// <summary>The most that sessions over its grains may ask for.</summary>
    internal ConsistencyLevel Level => level;

    /// <summary>True where updates follow what was read.</summary>
    internal bool FollowsReads { get; } = (level.Parts() & LevelParts.FollowsReads) != 0;

    /// <summary>Makes the cell of a grain, at bottom.</summary>
    internal abstract LatticeCell Create(GrainKey key);
}

/// <summary>A class of grains whose lattice is <typeparamref name="T"/>.</summary>
internal sealed class LatticeClass<T>(string name, ConsistencyLevel level = ConsistencyLevel.SimpleEventual)
    : LatticeClass(name, LatticeForm.TypeCode<T>(), level)
    where T : ILattice<T>
{
    internal override LatticeCell Create(GrainKey key) => new LatticeCell<T>(key, this);
}
