namespace Geo.Consistency.Lattices;

/// <summary>Of sources of which something is missing here, the number up to which nothing is.</summary>
internal sealed class LatticeFloors
{
    private readonly Dictionary<ReplicaId, long> _floors;

    internal LatticeFloors() => _floors = [];

    internal LatticeFloors(LatticeFloors other) => _floors = new(other._floors);

    /// <summary>Something of a source is missing beyond a number.</summary>
    internal void Lower(ReplicaId source, long number) =>
        _floors[source] = _floors.TryGetValue(source, out var known) ? Math.Min(known, number) : number;

    /// <summary>All that is missing by others' floors is missing here, too.</summary>
    internal void Lower(LatticeFloors other)
    {
        foreach (var (source, number) in other._floors)
        {
            Lower(source, number);
        }
    }

    /// <summary>What is left of a clock where nothing is missing.</summary>
    internal VectorClock Below(VectorClock clock) => _floors.Count == 0 ? clock : clock.Below(_floors);
}
