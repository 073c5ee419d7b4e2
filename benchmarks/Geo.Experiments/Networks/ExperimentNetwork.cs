using Geo.Emulation;

namespace Geo.Experiments.Networks;

/// <summary>Chooses the most faithful network that can be had here.</summary>
internal static class ExperimentNetwork
{
    /// <summary>The kind that bridges a distance here.</summary>
    public static NetworkKind KindOverDistance(bool useDelayLines) =>
        useDelayLines || TunnelRouter.Unavailable is not null ? NetworkKind.DelayLines : NetworkKind.Tunnels;

    /// <param name="roundTrip">The round trip; zero for plain loopback.</param>
    /// <param name="places">How many peers it joins.</param>
    /// <param name="useDelayLines">True to do without namespaces even where they can be had.</param>
    public static IExperimentNetwork Create(TimeSpan roundTrip, int places, bool useDelayLines) =>
        roundTrip == TimeSpan.Zero ? new LoopbackNetwork()
        : KindOverDistance(useDelayLines) == NetworkKind.DelayLines ? new DelayLineNetwork(roundTrip)
        : new TunnelNetwork(roundTrip, places);
}
