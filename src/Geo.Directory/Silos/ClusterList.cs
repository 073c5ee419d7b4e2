namespace Geo.Directory;

/// <summary>
/// The clusters that a silo knows, in its lease. Silos of one cluster that know different ones could give a grain two owners: the round of
/// one never asks a cluster whose request another one lets pass. So a silo starts only when no other with another list holds a lease.
/// </summary>
internal static class ClusterList
{
    private const char Separator = ',';

    /// <summary>What stands in the lease of a silo that goes by a configuration store.</summary>
    public const string Live = "those of its configuration store";

    /// <summary>The form in a lease: the names in order.</summary>
    public static string Of(IEnumerable<string> clusters) =>
        string.Join(Separator, clusters.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal));

    /// <summary>What a silo says that may not start.</summary>
    public static string Refusal(string node, string own, string other, string theirs) =>
        (own == Live ? $"Silo '{node}' goes by a configuration store, and " : $"Silo '{node}' has the clusters {own} in its settings, and ")
        + $"silo '{other}' of the same cluster, which holds a lease, has {theirs}. The list of clusters"
        + " cannot change while silos of the cluster run: stop all of them, then start them with the new list; or start this one with the "
        + "present list.";
}
