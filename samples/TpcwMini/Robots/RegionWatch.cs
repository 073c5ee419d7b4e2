using TpcwMini.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>
/// Tells a call cut off by the kill or the cut that the user asked for from an error. In the killed region every failure from the kill
/// until it is back is its work, and in a region that is cut off every call that found nobody until it hears of the others again;
/// elsewhere, and where one silo of several was killed, only a call whose outcome is unknown or that found the other side gone, and only
/// for a short time. A region that comes or goes in order explains nothing.
/// </summary>
/// <param name="clock">The run's.</param>
/// <param name="window">How long after a kill or cut, and after its end, calls may still have been cut off by it.</param>
/// <param name="stopsOthers">True where the others may wait for a region that is silent for as long as it is.</param>
internal sealed class RegionWatch(RunClock clock, TimeSpan window, bool stopsOthers = false)
{
    private volatile Killed? _killed;
    private volatile IReadOnlyList<Cut> _cuts = [];

    /// <summary>To be called just before the kill.</summary>
    public void Kill(KillPlan plan) => _killed = new Killed(plan, clock.Now);

    /// <summary>To be called when the killed region serves again.</summary>
    public void Return() => _killed = _killed! with { Back = clock.Now };

    /// <summary>To be called just before the cut; one at a time.</summary>
    public void BeginCut(string cluster) => _cuts = [.. _cuts, new Cut(cluster, clock.Now)];

    /// <summary>To be called just after the cut has ended.</summary>
    public void EndCut() => _cuts = [.. _cuts.SkipLast(1), _cuts[^1] with { End = clock.Now }];

    /// <summary>True while a region is gone altogether.</summary>
    public bool IsKilled(string cluster) => _killed is { Plan.Silo: null, Back: null } killed && killed.Plan.Cluster == cluster;

    /// <summary>True while a region is cut off.</summary>
    public bool IsCut(string cluster) => _cuts is [.., { End: null } cut] && cut.Cluster == cluster;

    /// <param name="cluster">The region of the caller.</param>
    /// <param name="error">What the call ended with.</param>
    /// <param name="began">When it began; one that was under way at the kill may find out late.</param>
    public bool Explains(string cluster, Exception error, TimeSpan began) =>
        (_killed is { } killed
            && (IsGoneAt(killed, cluster, began) || (IsRecent(killed.At, killed.Back, began) && ThisHost.IsCutOff(error))))
        || (ThisHost.IsCutOff(error) && _cuts.Any(cut => cut.Cluster == cluster || stopsOthers
            ? IsDuring(cut, began)
            : IsRecent(cut.At, cut.End, began)));

    /// <summary>True when a cart may have been lost with its silo or its lease, in the middle of a workflow.</summary>
    /// <param name="cluster">The region of the cart.</param>
    /// <param name="began">
    /// When the workflow began: a customer who thinks it over while the region is gone makes no call that fails.
    /// </param>
    public bool ExplainsLostCart(string cluster, TimeSpan began) =>
        (_killed is { } killed
            && (killed.Plan.Silo is null ? IsGoneAt(killed, cluster, began) : IsRecent(killed.At, killed.Back, clock.Now)))
        || _cuts.Any(cut => cut.Cluster == cluster && IsDuring(cut, began));

    private static bool IsGoneAt(Killed killed, string cluster, TimeSpan began) =>
        killed.Plan.Silo is null && killed.Plan.Cluster == cluster && (killed.Back is not { } back || began <= back);

    private bool IsDuring(Cut cut, TimeSpan moment) => cut.End is not { } end || moment - end <= window;

    private bool IsRecent(TimeSpan at, TimeSpan? end, TimeSpan moment) =>
        moment - at <= window || (end is { } back && moment >= back && moment - back <= window);

    private sealed record Killed(KillPlan Plan, TimeSpan At, TimeSpan? Back = null);

    private sealed record Cut(string Cluster, TimeSpan At, TimeSpan? End = null);
}
