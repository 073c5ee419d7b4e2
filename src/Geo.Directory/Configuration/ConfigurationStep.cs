namespace Geo.Directory;

/// <summary>A version of the configuration that a silo has begun to work with.</summary>
/// <param name="At">When, by the silo's clock.</param>
/// <param name="Version">The version.</param>
/// <param name="What">What it changes, for people.</param>
internal readonly record struct ConfigurationStep(DateTimeOffset At, long Version, string What)
{
    /// <summary>Says in words what a later version of a document changes.</summary>
    public static string Between(ConfigurationDocument before, ConfigurationDocument after)
    {
        var changes = before.Clusters.Keys.Union(after.Clusters.Keys).Order()
            .Select(cluster => Of(cluster, before.Clusters.GetValueOrDefault(cluster), after.Clusters.GetValueOrDefault(cluster)))
            .OfType<string>().ToList();
        return changes.Count == 0 ? "Its clusters stay as they were." : $"{string.Join("; ", changes)}.";
    }

    private static string? Of(ClusterId cluster, ConfiguredCluster? before, ConfiguredCluster? after) => after switch
    {
        null => $"'{cluster}' has gone",
        _ when before?.Stage != after.Stage => after.Stage switch
        {
            ClusterStage.Joining => $"'{cluster}' joins",
            ClusterStage.Leaving => $"'{cluster}' leaves",
            _ => $"'{cluster}' is a member",
        },
        _ when !before.EntryPoints.SequenceEqual(after.EntryPoints) =>
            $"'{cluster}' is reached at {(after.EntryPoints.IsEmpty ? "no address" : string.Join(", ", after.EntryPoints))}",
        _ => null,
    };
}
