namespace Geo.Administration;

/// <summary>What a silo answers when it is asked how all is.</summary>
internal sealed record Overview
{
    /// <summary>The silo's cluster.</summary>
    public required string Cluster { get; init; }

    /// <summary>The silo.</summary>
    public required string Node { get; init; }

    /// <summary>The version of Geo that it runs.</summary>
    public required string Version { get; init; }

    /// <summary>When this was so, by its clock.</summary>
    public DateTimeOffset At { get; init; }

    /// <summary>All clusters, the silo's own first.</summary>
    public IReadOnlyList<ClusterView> Clusters { get; init; } = [];

    /// <summary>The round trips that all clusters in reach have told of.</summary>
    public IReadOnlyList<RoundTripView> RoundTrips { get; init; } = [];

    /// <summary>The silo's links with other clusters.</summary>
    public IReadOnlyList<LinkView> Links { get; init; } = [];

    /// <summary>The silo's stores.</summary>
    public IReadOnlyList<StoreView> Stores { get; init; } = [];

    /// <summary>How many Doubtful grains the silo knows of.</summary>
    public int DoubtfulGrains { get; init; }

    /// <summary>How long it has known of the oldest, in seconds.</summary>
    public double DoubtfulSeconds { get; init; }

    /// <summary>How old the silo's lease is, in seconds; null where it needs none.</summary>
    public double? LeaseSeconds { get; init; }

    /// <summary>What other clusters lack of the silo's coordination-free grains.</summary>
    public IReadOnlyList<LagView> Lags { get; init; } = [];

    /// <summary>The latest moves of single-instance grains in all clusters that answered.</summary>
    public HistoryView History { get; init; } = new();

    /// <summary>
    /// The versions of the configuration that the silo has begun to work with, the last one first; none without a ConfigurationStore.
    /// </summary>
    public IReadOnlyList<ChangeView> Changes { get; init; } = [];

    /// <summary>The faults that were found, the gravest first.</summary>
    public IReadOnlyList<Finding> Findings { get; init; } = [];
}
