using System.Text.Json.Serialization;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Messaging;

/// <summary>One run of one variant at one cell: the raw data.</summary>
/// <param name="Cell">The cell.</param>
/// <param name="Variant">The variant.</param>
/// <param name="Repeat">Which repeat it was, from 1.</param>
/// <param name="StartedAt">When it began.</param>
/// <param name="Network">What bridged the distance.</param>
/// <param name="WarmUpSeconds">The time before it was measured.</param>
/// <param name="MeasureSeconds">The time that it was measured.</param>
/// <param name="Peers">What each loading peer measured.</param>
internal sealed record RunRecord(
    Cell Cell,
    Variant Variant,
    int Repeat,
    DateTimeOffset StartedAt,
    NetworkKind Network,
    double WarmUpSeconds,
    double MeasureSeconds,
    IReadOnlyList<PeerFigures> Peers)
{
    private const double Megabyte = 1e6;

    /// <summary>Operations of all loading peers.</summary>
    [JsonIgnore]
    public double OpsPerSecond => Peers.Sum(peer => peer.OpsPerSecond);

    /// <summary>The median time: of the peers' medians the middle one.</summary>
    [JsonIgnore]
    public double Median => Peers.Select(peer => peer.Median).Order().ElementAt(Peers.Count / 2);

    /// <summary>The fewest operations that a figure of it rests on.</summary>
    [JsonIgnore]
    public long Operations => Peers.Min(peer => Math.Min(peer.Operations, peer.IdleOperations ?? long.MaxValue));

    /// <summary>What the bulk beside the measured messages carries, in MB a second each way; only at head of line.</summary>
    [JsonIgnore]
    public double BulkMegabytesPerSecond => Peers.Sum(peer => peer.BackgroundOpsPerSecond ?? 0) * Cell.PayloadBytes / Megabyte;
}
