using Geo.Testing.Wan;

namespace Geo.Experiments.Networks;

/// <summary>Chooses the most faithful network that can be had here.</summary>
internal static class ExperimentNetwork
{
    /// <param name="roundTrip">The round trip; zero for plain loopback.</param>
    /// <param name="places">How many peers it joins.</param>
    /// <param name="useDelayLines">True to do without namespaces even where they can be had.</param>
    public static IExperimentNetwork Create(TimeSpan roundTrip, int places, bool useDelayLines) =>
        roundTrip == TimeSpan.Zero ? new LoopbackNetwork()
        : useDelayLines || TunnelRouter.Unavailable is not null ? new DelayLineNetwork(roundTrip)
        : new TunnelNetwork(roundTrip, places);
}
