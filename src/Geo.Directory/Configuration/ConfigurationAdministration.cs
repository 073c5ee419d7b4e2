using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>What an operator asks of the configuration, decided by the rules on what the store holds.</summary>
internal sealed class ConfigurationAdministration(
    ConfigurationDocuments documents, ConfigurationKeeper keeper, Action<string> checkAddress, Func<ClusterId, string?>? needs = null)
    : IGeoConfiguration
{
    // How often others may change it at the same time.
    private const int MaxConflicts = 8;

    public async ValueTask<ConfigurationView> DescribeAsync(CancellationToken cancellationToken = default)
    {
        var now = (await documents.ReadAsync(cancellationToken)).Document ?? keeper.Present;
        var progress = await documents.ProgressAsync(cancellationToken);
        var next = ConfigurationRules.Continue(now, progress);
        var outside = progress.Where(p => !now.Clusters.ContainsKey(p.Cluster)).Select(p => p.Cluster);
        return new(
            now.Version,
            [.. now.Clusters.Keys.Concat(outside).Select(cluster => View(now, cluster, progress))],
            next is { Next: null, Refused: null } ? ConfigurationRules.Barrier(now, progress) : next.Refused,
            keeper.Distrust);
    }

    public ValueTask<ConfigurationChange> AddAsync(
        ClusterId cluster, IReadOnlyList<string> entryPoints, CancellationToken cancellationToken = default)
    {
        var checkedPoints = Checked(entryPoints);
        return ChangeAsync(
            (now, progress) => ConfigurationRules.Add(now, cluster, checkedPoints, progress), now => now.Clusters.ContainsKey(cluster),
            $"'{cluster}' is joining, and a member as soon as all silos have processed that.", cancellationToken);
    }

    public ValueTask<ConfigurationChange> RemoveAsync(ClusterId cluster, CancellationToken cancellationToken = default) => ChangeAsync(
        (now, progress) =>
            ConfigurationRules.Remove(now, cluster, progress) is { Next: not null } && needs?.Invoke(cluster) is { } needed
                ? ConfigurationDecision.Refuse(needed)
                : ConfigurationRules.Remove(now, cluster, progress),
        now => now.Clusters.GetValueOrDefault(cluster) is not { Stage: not ClusterStage.Leaving },
        $"'{cluster}' is leaving, and has gone as soon as all silos have processed that and it holds no grains. "
        + "Keep it running until then.",
        cancellationToken);

    public ValueTask<ConfigurationChange> ReachAsync(
        ClusterId cluster, IReadOnlyList<string> entryPoints, CancellationToken cancellationToken = default)
    {
        var checkedPoints = Checked(entryPoints);
        return ChangeAsync(
            (now, progress) => ConfigurationRules.Reach(now, cluster, checkedPoints, progress),
            now => now.Clusters.GetValueOrDefault(cluster)?.EntryPoints.SequenceEqual(checkedPoints) == true,
            $"'{cluster}' is dialled there.", cancellationToken);
    }

    public ValueTask<ConfigurationChange> ForceRemoveAsync(
        IReadOnlyList<ClusterId> lost, CancellationToken cancellationToken = default) => ChangeAsync(
        (now, progress) => ConfigurationRules.Force(now, lost, progress), now => !lost.Any(now.Clusters.ContainsKey),
        $"'{string.Join("', '", lost)}' counts no more. If it lives, its single-instance grains may exist there and elsewhere at the same "
        + "time until it reaches the configuration store: make sure that it does not run.",
        cancellationToken);

    private static ConfiguredClusterView View(ConfigurationDocument now, ClusterId cluster, List<ClusterProgress> progress)
    {
        var told = progress.FirstOrDefault(p => p.Cluster == cluster && p.IsOf(now));
        var configured = now.Clusters.GetValueOrDefault(cluster);
        return new(
            cluster,
            configured?.Stage.ToString().ToLowerInvariant() ?? "outside",
            configured?.EntryPoints ?? [],
            told is null ? null : told.Silos.Values.Append(told.Stored).Min(),
            told?.Held);
    }

    private ImmutableArray<string> Checked(IReadOnlyList<string> entryPoints)
    {
        foreach (var address in entryPoints)
        {
            checkAddress(address);
        }

        return [.. entryPoints];
    }

    private async ValueTask<ConfigurationChange> ChangeAsync(
        Func<ConfigurationDocument, IReadOnlyList<ClusterProgress>, ConfigurationDecision> decide,
        Func<ConfigurationDocument, bool> isSo, string whatComes, CancellationToken cancellationToken)
    {
        var isInDoubt = false;
        for (var tries = 0; tries < MaxConflicts; tries++)
        {
            var read = await documents.ReadAsync(cancellationToken);
            if (ConfigurationTrust.Distrust(keeper.Present, read.Document) is { } distrust)
            {
                return new(null, distrust);
            }

            var now = read.Document!;
            if (isInDoubt && isSo(now))
            {
                // Whose write it was matters to nobody.
                keeper.Wake();
                return new(now.Version, whatComes);
            }

            var decision = decide(now, await documents.ProgressAsync(cancellationToken));
            if (decision.Next is not { } next)
            {
                return new(null, $"Refused: {decision.Refused}.");
            }

            var written = await documents.ReplaceAsync(read, next, cancellationToken);
            if (written == DocumentWrite.Applied)
            {
                keeper.Wake();
                return new(next.Version, whatComes);
            }

            isInDoubt |= written == DocumentWrite.InDoubt;
        }

        return new(null, $"Refused: the configuration was changed {MaxConflicts} times meanwhile; try again.");
    }
}
