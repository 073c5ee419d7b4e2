using Geo.Experiments.Messaging;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Tests.Messaging;

/// <summary>Makes the records of runs.</summary>
internal static class Runs
{
    public const int Lanes = 16;

    public static RunRecord Of(
        string cell, Variant variant, int repeat, double opsPerSecond, NetworkKind network = NetworkKind.Tunnels) => new(
        Cell.Parse(cell),
        variant,
        repeat,
        DateTimeOffset.UnixEpoch,
        network,
        WarmUpSeconds: 4,
        MeasureSeconds: 4,
        [new PeerFigures((long)(4 * opsPerSecond), opsPerSecond, 1, 1, 1, 1, 1)]);

    public static RunRecord Pings(Variant variant, int repeat, double idle, double beside, double bulk) =>
        Of("hol/8MB/20ms/x16", variant, repeat, 60) with
        {
            Peers =
            [
                new PeerFigures(
                    240, 60, beside, beside, 2 * beside, 1, 1, IdleOperations: 250, IdleMedian: idle, IdleMaximum: idle,
                    BackgroundOpsPerSecond: bulk),
            ],
        };
}
