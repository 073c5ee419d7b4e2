using System.Reflection;

namespace Geo.Consistency.Lattices;

/// <summary>A class of grains and its lattice.</summary>
internal abstract class LatticeClass(string name, uint typeCode, ConsistencyLevel level, int replicas)
{
    /// <summary>The class of a grain type, whose lattice is known at run time only.</summary>
    internal static LatticeClass Of(Type lattice, string name, GrainDeclaration declaration) => (LatticeClass)Activator.CreateInstance(
        typeof(LatticeClass<>).MakeGenericType(lattice), BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public,
        binder: null, [name, declaration.Level, declaration.Replicas], culture: null)!;

    /// <summary>The grain type.</summary>
    internal string Name => name;

    /// <summary>The lattice, as replicas compare it.</summary>
    internal uint TypeCode => typeCode;

    /// <summary>The most that sessions over its grains may ask for.</summary>
    internal ConsistencyLevel Level => level;

    /// <summary>How many clusters have a replica of each grain; 0 for all.</summary>
    internal int Replicas => replicas;

    /// <summary>The groups that its grains are of.</summary>
    internal IEnumerable<LatticeGroup> Groups =>
        replicas == 0 ? [level.Domain()] : Enumerable.Range(0, LatticeGroup.Parts).Select(part => GroupOf(part));

    /// <summary>The group that a grain is of.</summary>
    internal LatticeGroup GroupOf(GrainKey grain) => replicas == 0 ? level.Domain() : GroupOf(LatticeGroup.PartOf(grain));

    /// <summary>True where updates follow what was read.</summary>
    internal bool FollowsReads { get; } = (level.Parts() & LevelParts.FollowsReads) != 0;

    /// <summary>True where its states may hold rights that a replica has alone.</summary>
    internal abstract bool HasRights { get; }

    /// <summary>Makes the cell of a grain, at bottom.</summary>
    internal abstract LatticeCell Create(GrainKey key);

    private LatticeGroup GroupOf(int part) => new(level.Domain(), replicas, part, name);
}

/// <summary>A class of grains whose lattice is <typeparamref name="T"/>.</summary>
internal sealed class LatticeClass<T>(string name, ConsistencyLevel level = ConsistencyLevel.SimpleEventual, int replicas = 0)
    : LatticeClass(name, LatticeForm.TypeCode<T>(), level, replicas)
    where T : ILattice<T>
{
    internal override bool HasRights { get; } = T.TypeName.Contains(EscrowCounter.TypeName, StringComparison.Ordinal);

    internal override LatticeCell Create(GrainKey key) => new LatticeCell<T>(key, this);
}
