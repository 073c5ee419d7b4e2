namespace Geo.Experiments.Soak.Faults;

/// <summary>What happens to the deployment for a while.</summary>
internal enum FaultKind
{
    /// <summary>A region's process is killed, and started again at the end.</summary>
    Kill,

    /// <summary>A region's process stands still, and goes on at the end as if nothing had been.</summary>
    Freeze,

    /// <summary>The connections between the regions break, and new ones are refused.</summary>
    Cut,

    /// <summary>The connections between the regions stay and carry nothing.</summary>
    BlackHole,

    /// <summary>The store is killed, and started again at the end.</summary>
    StoreRestart,
}
