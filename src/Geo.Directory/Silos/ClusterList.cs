using System.Globalization;

namespace Geo.Directory;

/// <summary>
/// The clusters that a silo knows, in its lease. Silos of one cluster that know different ones could give a grain two owners: the round of
/// one never asks a cluster whose request another one lets pass. So a silo starts only when no other with another list holds a lease.
/// </summary>
internal static class ClusterList
{
    private const char Separator = ',';

    // In leases: the time to renew that one is given which nobody calls dead, and the margin.
    private const double LongestFence = 2 * SiloFences.Margin;

    /// <summary>What stands in the lease of a silo that goes by a configuration store.</summary>
    public const string Live = "those of its configuration store";

    /// <summary>The form in a lease: the names in order.</summary>
    public static string Of(IEnumerable<string> clusters) =>
        string.Join(Separator, clusters.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal));

    /// <summary>What a silo says that may not start.</summary>
    /// <param name="node">The silo.</param>
    /// <param name="own">Its clusters.</param>
    /// <param name="other">The silo that holds a lease.</param>
    /// <param name="lease">Its lease.</param>
    public static string Refusal(string node, string own, string other, LeaseRow lease) =>
        (own == Live ? $"Silo '{node}' goes by a configuration store, and " : $"Silo '{node}' has the clusters {own} in its settings, and ")
        + $"silo '{other}' of the same cluster, which holds a lease, has {lease.Clusters}. The list of clusters"
        + " cannot change while silos of the cluster run: stop all of them, then start them with the new list; or start this one with the "
        + $"present list. If '{other}' has crashed this one may start once the membership has called that one dead and "
        + $"{Fenced(lease.Duration)} more have passed, in which it is fenced off. Where no silo of the cluster serves nobody calls it "
        + "dead: start one with the present list, and stop it in order when that has happened.";

    /// <summary>How long it takes at most to fence a dead silo off; what a lease lasts is not known of a row that cannot be read.</summary>
    private static string Fenced(TimeSpan lease) =>
        lease == TimeSpan.Zero ? $"{LongestFence:0.0} times its lease"
        : string.Create(CultureInfo.InvariantCulture, $"{lease.TotalSeconds * LongestFence:0.0} s");
}
