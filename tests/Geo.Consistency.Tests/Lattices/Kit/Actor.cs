using Geo.Consistency.Lattices;

namespace Geo.Consistency.Tests.Lattices.Kit;

/// <summary>One source of updates, with dots and stamps of its own.</summary>
internal sealed class Actor(int number, TimeProvider time, Random random)
{
    private long _last;

    internal ReplicaId Id { get; } = new((ulong)number);

    internal HybridClock Clock { get; } = new(time, new ReplicaId((ulong)number));

    /// <summary>Numbers have gaps, as those of a node have for any one of its objects.</summary>
    internal Dot NextDot() => new(Id, _last += random.Next(1, 4));
}
