using TpcwMini.Options;

namespace TpcwMini.Hosting;

/// <summary>The host that this program is built with; samples/TpcwMini.Orleans has the same three files for the other one.</summary>
internal static class ThisHost
{
    public static HostKind Kind => HostKind.Embedded;

    /// <summary>True for what a call ends with when the process that it needed is gone.</summary>
    public static bool IsCutOff(Exception error) =>
        error is GeoOutcomeUnknownException or GeoTimeoutException or GeoUnavailableException;
}
