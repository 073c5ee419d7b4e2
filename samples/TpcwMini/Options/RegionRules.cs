namespace TpcwMini.Options;

/// <summary>What regions that are cut off, come or go may be. Each rule broken is one <see cref="UsageException"/>.</summary>
internal static class RegionRules
{
    private const int LeastForMajority = 3;

    public static void Check(RunOptions options)
    {
        if (options.Mode == SingleInstanceMode.Quorum && options.Clusters.Count < LeastForMajority)
        {
            throw new UsageException(
                $"--mode quorum needs {LeastForMajority} clusters in --clusters: of two, the loss or cut of either stops both.");
        }

        foreach (var cut in options.Cuts)
        {
            Check(cut, options);
        }

        if (options.Cuts.OrderBy(cut => cut.From).ToList() is var cuts
            && cuts.Zip(cuts.Skip(1)).FirstOrDefault(pair => pair.Second.From < pair.First.To) is (not null, not null) overlap)
        {
            throw new UsageException(
                $"--cut {overlap.Second} begins before --cut {overlap.First} has ended. One region is cut off at a time.");
        }

        if (options.IsLive)
        {
            CheckChanges(options);
        }
    }

    private static void Check(CutPlan cut, RunOptions options)
    {
        if (!options.Clusters.Contains(cut.Cluster))
        {
            throw new UsageException($"--cut {cut} names no cluster of --clusters {string.Join(',', options.Clusters)}.");
        }

        if (options.Clusters.Count < 2)
        {
            throw new UsageException($"--cut {cut} has nothing to cut: name two or more clusters in --clusters.");
        }

        var window = Defaults.CutWindow.TotalSeconds;
        if (cut.To <= cut.From || cut.To + window >= options.Seconds)
        {
            throw new UsageException(
                $"--cut {cut} must end after it begins and more than {window} s before --seconds {options.Seconds}: calls that fail "
                + "earlier after it count as interrupted, and none would be left that counts.");
        }

        if (options.Kill is { } kill)
        {
            throw new UsageException($"--cut {cut} cannot go with --kill {kill}: nobody could tell which of them a call that fails is of.");
        }
    }

    private static void CheckChanges(RunOptions options)
    {
        var change = options.Add is { } added ? $"--add {added}" : $"--drain {options.Drain}";
        if (options.Kill is not null || options.Cuts.Count > 0)
        {
            throw new UsageException($"{change} cannot go with --kill or --cut: a change waits until all regions have heard of it.");
        }

        if (options.Variant.State != ItemDurability.Persistent)
        {
            throw new UsageException($"{change} needs --state persistent: what is in the memory of a region does not follow its changes.");
        }

        if (options.Add is { } add)
        {
            if (options.Clusters.Contains(add.Cluster))
            {
                throw new UsageException($"--add {add} names a cluster of --clusters: name one that is not there yet.");
            }

            _ = OptionRules.ClusterNames(string.Join(',', options.AllClusters));
            CheckTime("--add", add, options);
        }

        if (options.Drain is { } drain)
        {
            CheckTime("--drain", drain, options);
            CheckDrain(drain, options);
        }
    }

    private static void CheckDrain(ChangePlan drain, RunOptions options)
    {
        if (!options.AllClusters.Contains(drain.Cluster))
        {
            throw new UsageException($"--drain {drain} names no cluster of --clusters {string.Join(',', options.Clusters)} or --add.");
        }

        if (options.Add is { } add && drain.Second <= add.Second)
        {
            throw new UsageException($"--drain {drain} must come after --add {add}: one region comes or goes at a time.");
        }

        if (options.AllClusters.Count < 2)
        {
            throw new UsageException($"--drain {drain} would leave no cluster to serve on. Name two or more in --clusters, or --add one.");
        }
    }

    private static void CheckTime(string option, ChangePlan change, RunOptions options)
    {
        if (change.Second >= options.Seconds)
        {
            throw new UsageException(
                $"{option} {change} lies after the end of the run. Choose a second below --seconds {options.Seconds}.");
        }
    }
}
