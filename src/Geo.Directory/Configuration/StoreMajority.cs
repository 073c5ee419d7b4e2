namespace Geo.Directory;

/// <summary>
/// Whether the stores that the clusters keep by majority can spare a cluster: their lists of clusters are changed by their own operation,
/// and do not follow the configuration.
/// </summary>
internal static class StoreMajority
{
    /// <summary>Why a cluster is needed; null where it is not.</summary>
    /// <param name="stores">The stores that the clusters keep together.</param>
    /// <param name="leaving">The cluster that is to be stopped.</param>
    /// <param name="messenger">Says who can be reached.</param>
    public static string? Needs(IEnumerable<IClusterStore> stores, ClusterId leaving, IClusterMessenger messenger)
    {
        foreach (var keepers in stores.Select(store => store.Keepers).Where(keepers => keepers.Contains(leaving)))
        {
            var majority = (keepers.Count / 2) + 1;
            var left = keepers.Where(k => k != leaving && (k == messenger.LocalCluster || messenger.IsLinked(k))).ToList();
            if (left.Count < majority)
            {
                return $"'{leaving}' is one of the clusters that keep a store by majority ({string.Join(", ", keepers)}), of which "
                    + $"{majority} must answer, and without it {(left.Count == 0 ? "none" : string.Join(" and ", left))} would be left "
                    + "within reach. Bring the others back first, or have other clusters keep the store (geo keepers)";
            }
        }

        return null;
    }
}
