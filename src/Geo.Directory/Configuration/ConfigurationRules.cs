using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// How the clusters of a multi-cluster change while it runs: rules C3 and C4 of the design of regions, as pure functions. One cluster
/// comes or goes at a time, in two versions each: while it is joining or leaving all others ask it, and let it pass nowhere
/// (<see cref="GsiRules.Answer"/>), so that silos of two neighbouring versions never decide a race in two ways.
/// </summary>
internal static class ConfigurationRules
{
    /// <summary>Begins to take a cluster in.</summary>
    public static ConfigurationDecision Add(
        ConfigurationDocument now, ClusterId cluster, ImmutableArray<string> entryPoints, IReadOnlyList<ClusterProgress> progress) =>
        now.Clusters.ContainsKey(cluster) ? ConfigurationDecision.Refuse($"cluster '{cluster}' is {Stage(now, cluster)} already")
        : Hindrance(now, progress) is { } hindrance ? ConfigurationDecision.Refuse(hindrance)
        : Next(now, now.Clusters.Add(
            cluster,
            new(SwitchedOff.Is(ProtocolRule.ChangeIsTwoSteps) ? ClusterStage.Member : ClusterStage.Joining, entryPoints)));

    /// <summary>Begins to take a cluster out.</summary>
    public static ConfigurationDecision Remove(ConfigurationDocument now, ClusterId cluster, IReadOnlyList<ClusterProgress> progress) =>
        !now.Clusters.TryGetValue(cluster, out var configured)
            ? ConfigurationDecision.Refuse($"there is no cluster '{cluster}' ({string.Join(", ", now.Clusters.Keys)})")
        : now.Clusters.Count == 1 ? ConfigurationDecision.Refuse($"'{cluster}' is the only cluster")
        : Hindrance(now, progress) is { } hindrance ? ConfigurationDecision.Refuse(hindrance)
        : SwitchedOff.Is(ProtocolRule.ChangeIsTwoSteps) ? Next(now, now.Clusters.Remove(cluster), cluster)
        : Next(now, now.Clusters.SetItem(cluster, configured with { Stage = ClusterStage.Leaving }));

    /// <summary>Changes where a cluster is reached.</summary>
    public static ConfigurationDecision Reach(
        ConfigurationDocument now, ClusterId cluster, ImmutableArray<string> entryPoints, IReadOnlyList<ClusterProgress> progress) =>
        !now.Clusters.TryGetValue(cluster, out var configured)
            ? ConfigurationDecision.Refuse($"there is no cluster '{cluster}' ({string.Join(", ", now.Clusters.Keys)})")
        : Barrier(now, progress) is { } behind ? ConfigurationDecision.Refuse(behind)
        : Next(now, now.Clusters.SetItem(cluster, configured with { EntryPoints = entryPoints }));

    /// <summary>The second step of what was begun, which any silo may take: who began it may be dead.</summary>
    public static ConfigurationDecision Continue(ConfigurationDocument now, IReadOnlyList<ClusterProgress> progress)
    {
        var (cluster, configured) = now.Clusters.FirstOrDefault(c => c.Value.Stage != ClusterStage.Member);
        if (configured is null)
        {
            return default;
        }

        if (Barrier(now, progress) is { } behind)
        {
            return ConfigurationDecision.Refuse(behind);
        }

        if (configured.Stage == ClusterStage.Joining)
        {
            return Next(now, now.Clusters.SetItem(cluster, configured with { Stage = ClusterStage.Member }));
        }

        // What it still holds would count nowhere any more, and be begun anew by others beside it.
        var held = progress.First(p => p.Cluster == cluster).Held;
        return held == 0 || SwitchedOff.Is(ProtocolRule.LeaverIsDrained)
            ? Next(now, now.Clusters.Remove(cluster), cluster)
            : ConfigurationDecision.Refuse($"cluster '{cluster}' is leaving and holds {held} rows still");
    }

    /// <summary>
    /// What stands against the next change: a cluster or a silo that works with an earlier version, or may; null when all have processed
    /// the present one. A silo that is dead counts until it is fenced off.
    /// </summary>
    public static string? Barrier(ConfigurationDocument now, IReadOnlyList<ClusterProgress> progress)
    {
        if (SwitchedOff.Is(ProtocolRule.BarrierIsAwaited))
        {
            return null;
        }

        foreach (var cluster in now.Left.IsNone ? now.Clusters.Keys : now.Clusters.Keys.Append(now.Left))
        {
            var told = progress.FirstOrDefault(p => p.Cluster == cluster);
            if (told is null)
            {
                return $"cluster '{cluster}' does not say that it has processed version {now.Version}";
            }

            if (told.Stored < now.Version)
            {
                return $"cluster '{cluster}' has version {told.Stored} of the configuration, not yet {now.Version}";
            }

            var behind = told.Silos.FirstOrDefault(s => s.Value < now.Version);
            if (behind.Key is { } silo)
            {
                return $"silo '{silo}' of cluster '{cluster}' has processed version {behind.Value} of the configuration, not yet "
                    + $"{now.Version}";
            }
        }

        return null;
    }

    private static string? Hindrance(ConfigurationDocument now, IReadOnlyList<ClusterProgress> progress)
    {
        var changing = SwitchedOff.Is(ProtocolRule.ChangeIsTwoSteps)
            ? default
            : now.Clusters.FirstOrDefault(c => c.Value.Stage != ClusterStage.Member);
        return changing.Value is null
            ? Barrier(now, progress)
            : $"cluster '{changing.Key}' is {Stage(now, changing.Key)}, and one cluster comes or goes at a time";
    }

    private static string Stage(ConfigurationDocument now, ClusterId cluster) => now.Clusters[cluster].Stage switch
    {
        ClusterStage.Joining => "joining",
        ClusterStage.Leaving => "leaving",
        _ => "a member",
    };

    private static ConfigurationDecision Next(
        ConfigurationDocument now, ImmutableSortedDictionary<ClusterId, ConfiguredCluster> clusters, ClusterId left = default) =>
        new(new(now.Version + 1, clusters, left));
}
