using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>What a silo's process is told by its parent.</summary>
internal sealed record ClusterSettings
{
    public required string Cluster { get; init; }

    /// <summary>The silo's number within its cluster.</summary>
    public int Silo { get; init; }

    /// <summary>The first silo of the cluster, for its other silos; null for the first.</summary>
    public string? FirstSilo { get; init; }

    /// <summary>The file in which all silos of the cluster keep the directory; null where a cluster has one silo only.</summary>
    public string? DirectoryFile { get; init; }

    /// <summary>The other clusters, with where they are entered; empty for one that dials in.</summary>
    public required IReadOnlyDictionary<string, IReadOnlyList<string>> Others { get; init; }

    /// <summary>Where to listen for other clusters; 0 for a free port.</summary>
    public int Port { get; init; }

    /// <summary>Where to listen for clients, on the embedded host; 0 for a free port.</summary>
    public int GatewayPort { get; init; }

    /// <summary>False for a silo that only looks into the store.</summary>
    public bool Listens { get; init; } = true;

    public required Variant Variant { get; init; }

    public SingleInstanceMode Mode { get; init; }

    /// <summary>The clusters that keep by majority who has a grain; empty where nothing is kept so.</summary>
    public IReadOnlyList<string> Majority { get; init; } = [];

    /// <summary>The file in which this cluster keeps its part of that; null where it keeps none.</summary>
    public string? MajorityFile { get; init; }

    /// <summary>True where the list of clusters stands in the storage account and changes while all run.</summary>
    public bool IsLive { get; init; }

    /// <summary>Where the storage account listens; null for volatile state.</summary>
    public string? Account { get; init; }

    public TimeSpan StoreLatency { get; init; }
}
