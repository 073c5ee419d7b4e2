namespace Geo.Consistency.Lattices;

/// <summary>The state of a coordination-free <c>JournaledGrain</c>, whose lattice only the state itself knows.</summary>
internal interface ILatticeState
{
    /// <summary>Shows the grain's replica from now on.</summary>
    /// <exception cref="GeoUnavailableException">There are as many grains as may be.</exception>
    IStateReplica Attach(LatticeReplicas replicas, GrainKey grain);

    /// <summary>The lattice of a type of states; null for others.</summary>
    static Type? LatticeOf(Type state)
    {
        for (var type = state; type is not null; type = type.BaseType)
        {
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(LatticeState<>))
            {
                return type.GetGenericArguments()[0];
            }
        }

        return null;
    }
}
