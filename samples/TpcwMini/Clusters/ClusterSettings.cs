using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>What a cluster's process is told by its parent.</summary>
internal sealed record ClusterSettings
{
    public required string Cluster { get; init; }

    /// <summary>The other clusters, with where they are entered; empty for one that dials in.</summary>
    public required IReadOnlyDictionary<string, IReadOnlyList<string>> Others { get; init; }

    /// <summary>Where to listen for other clusters; 0 for a free port.</summary>
    public int Port { get; init; }

    /// <summary>False for a silo that only looks into the store.</summary>
    public bool Listens { get; init; } = true;

    public required Variant Variant { get; init; }

    /// <summary>Where the storage account listens; null for volatile state.</summary>
    public string? Account { get; init; }

    public TimeSpan StoreLatency { get; init; }
}
