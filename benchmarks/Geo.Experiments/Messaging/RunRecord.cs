namespace Geo.Experiments.Messaging;

/// <summary>One run of one variant at one cell: the raw data.</summary>
/// <param name="Cell">The cell's name.</param>
/// <param name="Variant">The variant's name.</param>
/// <param name="Repeat">Which repeat it was, from 1.</param>
/// <param name="StartedAt">When it began.</param>
/// <param name="PayloadBytes">The size of a payload.</param>
/// <param name="Peers">What each loading peer measured.</param>
internal sealed record RunRecord(
    string Cell, string Variant, int Repeat, DateTimeOffset StartedAt, int PayloadBytes, IReadOnlyList<PeerFigures> Peers)
{
    /// <summary>Operations of all loading peers.</summary>
    public double OpsPerSecond => Peers.Sum(peer => peer.OpsPerSecond);

    /// <summary>The median time: of the peers' medians the middle one.</summary>
    public double Median => Peers.Select(peer => peer.Median).Order().ElementAt(Peers.Count / 2);
}
