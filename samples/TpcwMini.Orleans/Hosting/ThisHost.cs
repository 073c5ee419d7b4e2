using TpcwMini.Options;

namespace TpcwMini.Hosting;

/// <summary>The host that this program is built with.</summary>
internal static class ThisHost
{
    public static HostKind Kind => HostKind.Orleans;

    /// <summary>True for what a call ends with when the process that it needed is gone; within a cluster Orleans says so itself.</summary>
    public static bool IsCutOff(Exception error) =>
        error is GeoOutcomeUnknownException or GeoTimeoutException or GeoUnavailableException or OrleansException or TimeoutException;
}
