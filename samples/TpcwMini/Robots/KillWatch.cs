using TpcwMini.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>
/// Tells a call cut off by the kill that the user asked for from an error. In the killed region every failure from the kill until it is
/// back is its work; elsewhere, and where one silo of several was killed, only a call whose outcome is unknown or that found the other
/// side gone, and only for a short time.
/// </summary>
/// <param name="clock">The run's.</param>
/// <param name="window">How long after the kill, and after the return, calls may still have been cut off by it.</param>
internal sealed class KillWatch(RunClock clock, TimeSpan window)
{
    private volatile Killed? _killed;

    /// <summary>To be called just before the kill.</summary>
    public void Kill(KillPlan plan) => _killed = new Killed(plan, clock.Now);

    /// <summary>To be called when the killed region serves again.</summary>
    public void Return() => _killed = _killed! with { Back = clock.Now };

    /// <summary>True while a region is gone altogether.</summary>
    public bool IsKilled(string cluster) => _killed is { Plan.Silo: null, Back: null } killed && killed.Plan.Cluster == cluster;

    /// <param name="cluster">The region of the caller.</param>
    /// <param name="error">What the call ended with.</param>
    /// <param name="began">When it began; one that was under way at the kill may find out late.</param>
    public bool Explains(string cluster, Exception error, TimeSpan began) =>
        _killed is { } killed
        && (IsGoneAt(killed, cluster, began) || (IsRecent(killed, began) && ThisHost.IsCutOff(error)));

    /// <summary>True when a cart may have been lost with its silo, in the middle of a workflow.</summary>
    /// <param name="cluster">The region of the cart.</param>
    /// <param name="began">
    /// When the workflow began: a customer who thinks it over while the region is gone makes no call that fails.
    /// </param>
    public bool ExplainsLostCart(string cluster, TimeSpan began) =>
        _killed is { } killed
        && (killed.Plan.Silo is null ? IsGoneAt(killed, cluster, began) : IsRecent(killed, clock.Now));

    private static bool IsGoneAt(Killed killed, string cluster, TimeSpan began) =>
        killed.Plan.Silo is null && killed.Plan.Cluster == cluster && (killed.Back is not { } back || began <= back);

    private bool IsRecent(Killed killed, TimeSpan moment) =>
        moment - killed.At <= window || (killed.Back is { } back && moment >= back && moment - back <= window);

    private sealed record Killed(KillPlan Plan, TimeSpan At, TimeSpan? Back = null);
}
