using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>
/// Tells a call cut off by the kill that the user asked for from an error. In the killed region every failure after the kill is its
/// work; elsewhere only a call whose outcome is unknown or that found the other cluster gone, and only for a short time.
/// </summary>
internal sealed class KillWatch(RunClock clock)
{
    private volatile Killed? _killed;

    /// <summary>To be called just before the process is killed.</summary>
    public void Kill(string cluster) => _killed = new Killed(cluster, clock.Now);

    public bool IsKilled(string cluster) => _killed?.Cluster == cluster;

    public bool Explains(string cluster, Exception error) =>
        _killed is { } killed
        && (killed.Cluster == cluster
            || (clock.Now - killed.At <= Defaults.KillWindow && IsCutOff(error)));

    private static bool IsCutOff(Exception error) =>
        error is GeoOutcomeUnknownException or GeoTimeoutException or GeoUnavailableException;

    private sealed record Killed(string Cluster, TimeSpan At);
}
