using System.Globalization;

namespace Geo.Directory.Tests;

/// <summary>A silo of <see cref="ChangingClusters"/>.</summary>
internal sealed class ModelSilo(int number, ClusterId cluster)
{
    public string Name { get; } = number.ToString(CultureInfo.InvariantCulture);

    public ClusterId Cluster => cluster;

    /// <summary>The version of the configuration that it works with.</summary>
    public long Version { get; set; }

    /// <summary>The version since which it has seen no cluster come.</summary>
    public long Since { get; set; }

    /// <summary>The version in its lease; 0 for no lease.</summary>
    public long Lease { get; set; }

    public ModelStage Stage { get; set; }

    public bool IsFenced { get; set; }

    public bool IsWriting { get; set; }

    /// <summary>The round that it runs; 0 for none.</summary>
    public long Round { get; set; }

    public GsiEntry Requested { get; set; } = GsiEntry.Invalid;

    /// <summary>The etag of its round's row, once that is known to be stored.</summary>
    public long? ETag { get; set; }

    public IReadOnlyList<ClusterId>? Asked { get; set; }

    public Dictionary<ClusterId, GsiReply> Replies { get; } = [];
}
