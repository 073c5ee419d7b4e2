namespace Geo.Testing;

/// <summary>A kind of simulated grain: what its class's attributes would say.</summary>
internal sealed record SimulatedGrainKind(string Type, GrainDeclaration Declaration)
{
    /// <summary>Versioned, persistent, one instance that stays available.</summary>
    public static readonly SimulatedGrainKind Optimistic = new("optimistic", BatchedCas(Instancing.GlobalSingle, SingleInstanceMode.Optimistic));

    /// <summary>Versioned, persistent, one instance for certain.</summary>
    public static readonly SimulatedGrainKind Pessimistic = new("pessimistic", BatchedCas(Instancing.GlobalSingle, SingleInstanceMode.Pessimistic));

    /// <summary>Versioned, persistent, an instance in every cluster.</summary>
    public static readonly SimulatedGrainKind Multi = new("multi", BatchedCas(Instancing.OnePerCluster, SingleInstanceMode.Optimistic));

    /// <summary>Versioned, volatile, an instance in every cluster.</summary>
    public static readonly SimulatedGrainKind Volatile = new(
        "volatile", new GrainDeclaration(Instancing.OnePerCluster, SingleInstanceMode.Optimistic, ViewProtocol.VersionedLeader, null, default));

    /// <summary>The kinds whose confirmed updates outlive a crash.</summary>
    public static readonly IReadOnlyList<SimulatedGrainKind> Durable = [Optimistic, Pessimistic, Multi];

    /// <summary>All kinds.</summary>
    public static readonly IReadOnlyList<SimulatedGrainKind> All = [.. Durable, Volatile];

    public bool IsSingle => Declaration.Instancing == Instancing.GlobalSingle;

    public static SimulatedGrainKind Of(GrainKey key) => All.First(kind => kind.Type == key.Type);

    private static GrainDeclaration BatchedCas(Instancing instancing, SingleInstanceMode mode) =>
        new(instancing, mode, ViewProtocol.BatchedCas, null, default);
}
