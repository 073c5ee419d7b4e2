using System.Globalization;
using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Messaging.Report;

/// <summary>The figures of small messages beside large ones.</summary>
internal static class HeadOfLine
{
    public static IReadOnlyList<string> Columns { get; } =
        ["bulk MB/s", "idle p50 ms", "p50 ms", "of idle", "idle max ms", "max ms", "of idle max", "fewest pings"];

    /// <param name="runs">The runs of one variant.</param>
    public static IReadOnlyList<string> Row(IReadOnlyList<RunRecord> runs)
    {
        var bulk = Spread.Of(runs.Select(run => run.BulkMegabytesPerSecond));
        return
        [
            Figure.Spread(bulk),
            Figure.Number(Of(peer => peer.IdleMedian ?? 0)),
            Figure.Number(Of(peer => peer.Median)),
            Figure.Number(Of(peer => peer.Median / peer.IdleMedian ?? 0)),
            Figure.Number(Of(peer => peer.IdleMaximum ?? 0)),
            Figure.Number(Of(peer => peer.Maximum)),
            Figure.Number(Of(peer => peer.Maximum / peer.IdleMaximum ?? 0)),
            runs.Min(run => run.Operations).ToString(CultureInfo.InvariantCulture),
        ];

        double Of(Func<PeerFigures, double> figure) => Spread.Of(runs.Select(run => figure(run.Peers[0]))).Median;
    }
}
