namespace Geo.Directory;

/// <summary>
/// Whether what a configuration store holds can follow on what a cluster has processed (rules C1, C11): a store that was set back to a
/// backup, or another one, would have silos decide by clusters that are no more.
/// </summary>
internal static class ConfigurationTrust
{
    /// <summary>Why it cannot; null when it can.</summary>
    /// <param name="known">The last version that the cluster has processed; null where it has none.</param>
    /// <param name="found">What the store holds; null for nothing.</param>
    /// <param name="who">Who has processed <paramref name="known"/>.</param>
    public static string? Distrust(ConfigurationDocument? known, ConfigurationDocument? found, string who = "this cluster")
    {
        const string remedy = "Put the store back as it was, or stop all silos of all clusters, remove 'geo/configuration' from "
            + "every row store, and start with what the configuration store has.";
        return known is null ? null
            : found is null
                ? $"The configuration store is empty, and {who} has processed version {known.Version} of a configuration. {remedy}"
            : found.Lineage != known.Lineage
                ? $"The configuration store holds another configuration ({found.Lineage:N}) than the one that {who} has "
                    + $"processed ({known.Lineage:N}). {remedy}"
            : found.Version < known.Version || (found.Version == known.Version && found.Digest != known.Digest)
                ? $"The configuration store holds version {found.Version}, and {who} has processed "
                    + (found.Version == known.Version ? "another one of that number" : $"version {known.Version}")
                    + $": it was set back to a backup. {remedy}"
            : found.Version > known.Version && !found.Follows(known)
                ? $"The configuration store holds version {found.Version}, which was not made from the version {known.Version} that "
                    + $"{who} has processed: it was set back to a backup, and changed since. {remedy}"
            : null;
    }
}
