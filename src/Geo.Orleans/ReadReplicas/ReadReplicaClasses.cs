using System.Collections.Concurrent;

namespace Geo.Orleans;

/// <summary>The grain classes of this silo that other clusters may read copies of (<see cref="ReadReplicaAttribute"/>).</summary>
internal sealed class ReadReplicaClasses
{
    // Bounded by the number of grain classes.
    private readonly ConcurrentDictionary<GrainType, (Type Class, ReadReplicaDeclaration Declaration)> _classes = new();

    public void Add(GrainType type, Type grainClass, ReadReplicaDeclaration declaration) => _classes[type] = (grainClass, declaration);

    public bool TryGet(GrainType type, out (Type Class, ReadReplicaDeclaration Declaration) found) => _classes.TryGetValue(type, out found);
}
