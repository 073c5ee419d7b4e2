using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// How the clusters of a multi-cluster change while it runs: rules C3, C4, C12 of the design of regions, as pure functions. One cluster
/// comes or goes at a time, in two versions each: while it is joining or leaving all others ask it, and let it pass nowhere
/// (<see cref="GsiRules.Answer"/>), so that silos of two neighbouring versions never decide a race in two ways.
/// </summary>
internal static class ConfigurationRules
{
    /// <summary>
    /// Begins to take a cluster in. Its silos run already, for from then on the others ask them in every round.
    /// </summary>
    public static ConfigurationDecision Add(
        ConfigurationDocument now, ClusterId cluster, ImmutableArray<string> entryPoints, IReadOnlyList<ClusterProgress> progress) =>
        now.Clusters.ContainsKey(cluster) ? ConfigurationDecision.Refuse($"cluster '{cluster}' is {Stage(now, cluster)} already")
        : (Hindrance(now, progress) ?? Absence(now, cluster, progress)) is { } hindrance ? ConfigurationDecision.Refuse(hindrance)
        : Next(now, now.Clusters.Add(
            cluster,
            new(SwitchedOff.Is(ProtocolRule.ChangeIsTwoSteps) ? ClusterStage.Member : ClusterStage.Joining, entryPoints)));

    /// <summary>Begins to take a cluster out.</summary>
    public static ConfigurationDecision Remove(ConfigurationDocument now, ClusterId cluster, IReadOnlyList<ClusterProgress> progress) =>
        !now.Clusters.TryGetValue(cluster, out var configured) ? Unknown(now, cluster)
        : now.Clusters.Count == 1 ? ConfigurationDecision.Refuse($"'{cluster}' is the only cluster")
        : Hindrance(now, progress) is { } hindrance ? ConfigurationDecision.Refuse(hindrance)
        : SwitchedOff.Is(ProtocolRule.ChangeIsTwoSteps) ? Next(now, now.Clusters.Remove(cluster))
        : Next(now, now.Clusters.SetItem(cluster, configured with { Stage = ClusterStage.Leaving }));

    /// <summary>Changes where a cluster is reached.</summary>
    public static ConfigurationDecision Reach(
        ConfigurationDocument now, ClusterId cluster, ImmutableArray<string> entryPoints, IReadOnlyList<ClusterProgress> progress) =>
        !now.Clusters.TryGetValue(cluster, out var configured) ? Unknown(now, cluster)
        : Barrier(now, progress) is { } behind ? ConfigurationDecision.Refuse(behind)
        : Next(now, now.Clusters.SetItem(cluster, configured with { EntryPoints = entryPoints }));

    /// <summary>
    /// Takes clusters out at once that are lost for ever (rule C12). The operator's word stands for theirs: they are neither waited for
    /// nor drained, several together, so that two that are lost do not wait for each other. If one of them lives, what it has goes on there
    /// beside what the others begin.
    /// </summary>
    public static ConfigurationDecision Force(
        ConfigurationDocument now, IReadOnlyCollection<ClusterId> lost, IReadOnlyList<ClusterProgress> progress)
    {
        if (lost.FirstOrDefault(c => !now.Clusters.ContainsKey(c)) is { IsNone: false } unknown)
        {
            return Unknown(now, unknown);
        }

        var left = now with { Clusters = now.Clusters.RemoveRange(lost) };
        return lost.Count == 0 ? ConfigurationDecision.Refuse("no cluster is named")
            : !left.Clusters.Values.Any(c => c.Stage == ClusterStage.Member)
                ? ConfigurationDecision.Refuse("no member would be left")
            : Barrier(now, left.Clusters.Keys, progress) is { } behind
                ? ConfigurationDecision.Refuse($"{behind}; if that cluster is lost too, name it together with the others")
            : Next(now, left.Clusters);
    }

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
        return Drained(progress.First(p => p.Cluster == cluster)) is { } holding
            ? ConfigurationDecision.Refuse(holding)
            : Next(now, now.Clusters.Remove(cluster));
    }

    /// <summary>
    /// What stands against the next change: a cluster or a silo that works with an earlier version, or may; null when all have processed
    /// the present one. A silo that is dead counts until it is fenced off. A cluster that has gone is not waited for: it had processed that
    /// it leaves and held nothing, and owns nothing in any version since.
    /// </summary>
    public static string? Barrier(ConfigurationDocument now, IReadOnlyList<ClusterProgress> progress) =>
        Barrier(now, now.Clusters.Keys, progress);

    private static string? Barrier(
        ConfigurationDocument now, IEnumerable<ClusterId> clusters, IReadOnlyList<ClusterProgress> progress) =>
        SwitchedOff.Is(ProtocolRule.BarrierIsAwaited) ? null
        : clusters.Select(cluster => Behind(now, cluster, progress)).FirstOrDefault(behind => behind is not null);

    private static string? Behind(ConfigurationDocument now, ClusterId cluster, IReadOnlyList<ClusterProgress> progress) =>
        progress.FirstOrDefault(p => p.Cluster == cluster) is { } told
            ? told.Behind(now)
            : $"cluster '{cluster}' does not say that it has processed version {now.Version}";

    private static string? Hindrance(ConfigurationDocument now, IReadOnlyList<ClusterProgress> progress)
    {
        var changing = SwitchedOff.Is(ProtocolRule.ChangeIsTwoSteps)
            ? default
            : now.Clusters.FirstOrDefault(c => c.Value.Stage != ClusterStage.Member);
        return changing.Value is null
            ? Barrier(now, progress)
            : $"cluster '{changing.Key}' is {Stage(now, changing.Key)}, and one cluster comes or goes at a time";
    }

    /// <summary>Who would be asked and could not answer, or holds what it was left with when it went.</summary>
    private static string? Absence(ConfigurationDocument now, ClusterId cluster, IReadOnlyList<ClusterProgress> progress) =>
        SwitchedOff.Is(ProtocolRule.BarrierIsAwaited) ? null
        : progress.FirstOrDefault(p => p.Cluster == cluster) is { NotRead: { } why } ? why
        : progress.FirstOrDefault(p => p.Cluster == cluster) is not { Silos.IsEmpty: false } told || told.Behind(now) is not null
            ? $"cluster '{cluster}' does not say that it runs with this configuration; start its silos first"
        : Drained(told);

    private static string? Drained(ClusterProgress told) =>
        told.Held == 0 || SwitchedOff.Is(ProtocolRule.LeaverIsDrained) ? null
        : (told.Held is { } held ? $"cluster '{told.Cluster}' holds {held} rows still"
            : $"cluster '{told.Cluster}' has not counted yet which rows it holds")
        + (told.Why is { } why ? $": {why}" : "");

    private static ConfigurationDecision Unknown(ConfigurationDocument now, ClusterId cluster) =>
        ConfigurationDecision.Refuse($"there is no cluster '{cluster}' ({string.Join(", ", now.Clusters.Keys)})");

    private static string Stage(ConfigurationDocument now, ClusterId cluster) => now.Clusters[cluster].Stage switch
    {
        ClusterStage.Joining => "joining",
        ClusterStage.Leaving => "leaving",
        _ => "a member",
    };

    private static ConfigurationDecision Next(
        ConfigurationDocument now, ImmutableSortedDictionary<ClusterId, ConfiguredCluster> clusters) =>
        new(now.Next(clusters));
}
