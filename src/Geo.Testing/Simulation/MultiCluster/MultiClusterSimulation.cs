using System.Globalization;

namespace Geo.Testing;

/// <summary>
/// Two or three clusters, each a silo with its directory, grains with versioned views and clients, on one thread in virtual time with
/// a lossy network, faulty stores and crashes, all decided by one seed. The invariants are checked all the time; afterwards
/// everything heals, and no confirmed update may be lost.
/// </summary>
/// <remarks>
/// Checked: at most one cluster owns a grain (GEO Proposition 3.1), without faults at most one has it Owned or Doubtful (3.2); a
/// pessimistic grain never has two instances; versions never go back; own updates stay visible and in order; every version shown
/// is a prefix of the final one; confirmed updates are there exactly once, unknown ones at most once; the history of linearizable
/// operations is linearizable; duplicates and doubts end once the clusters hear from each other.
/// </remarks>
public static class MultiClusterSimulation
{
    private static readonly TimeSpan SettleTime = TimeSpan.FromSeconds(20);

    /// <summary>Runs one seed.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="options">How large the run is; the defaults when null.</param>
    /// <returns>What the run went through.</returns>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    /// <exception cref="SimulationException">An invariant is broken; the message is one line that says which, and the seed to replay it.</exception>
    public static SimulationReport Run(SimulationSeed seed, MultiClusterSimulationOptions? options = null)
    {
        var world = new SimulationWorld(seed, (options ?? new MultiClusterSimulationOptions()).Checked());
        try
        {
            world.Scheduler.Run(() => LiveAsync(world));
        }
        catch (Exception e)
        {
            var what = (world.Failure ?? e.Message).ReplaceLineEndings(" ");
            if (world.Options.TraceFile is { } file)
            {
                File.WriteAllText(file, world.Trace.Text);
            }

            throw new SimulationException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Seed {seed} failed at {world.Scheduler.Time.Elapsed.TotalSeconds:0.000} s, step {world.Scheduler.Steps}: {what} "
                    + $"Replay with {SimulationSeed.EnvironmentVariable}={seed}."),
                e);
        }

        Count(world);
        return new SimulationReport(
            seed, world.Faults, world.Clusters.Count, world.Scheduler.Steps, world.Trace.Hash, world.Trace.Text, world.Counts);
    }

    private static async Task LiveAsync(SimulationWorld world)
    {
        var faults = new FaultSchedule(world);
        faults.Begin();
        var until = world.Options.Duration;
        var clients =
            from cluster in world.Clusters
            from number in Enumerable.Range(1, world.Options.ClientsPerCluster)
            select new SimulatedClient(world, cluster, $"{cluster.Id}-client-{number}").RunAsync(until);
        await Task.WhenAll([.. clients, faults.RunAsync(until)]);

        faults.End();
        await Task.Delay(SettleTime, world.Scheduler.Time);
        world.Invariants.CheckSettled();
        world.Invariants.CheckLogs(await ReadAllAsync(world));
    }

    private static async Task<Dictionary<GrainKey, IReadOnlyList<int>>> ReadAllAsync(SimulationWorld world)
    {
        var logs = new Dictionary<GrainKey, IReadOnlyList<int>>();
        foreach (var cluster in world.Clusters)
        {
            var reader = new SimulatedClient(world, cluster, $"{cluster.Id}-reader");
            foreach (var key in world.Grains())
            {
                if (await reader.DumpAsync(key) is not { Kind: ReplyKind.Done, Log: { } log })
                {
                    world.Fail($"{key} cannot be read in {cluster.Id} although everything has healed");
                    continue;
                }

                if (logs.TryGetValue(key, out var known) && !known.SequenceEqual(log))
                {
                    world.Fail($"{key} reads differently in {cluster.Id}: [{string.Join(' ', log)}] instead of [{string.Join(' ', known)}]");
                }

                logs[key] = log;
            }
        }

        return logs;
    }

    private static void Count(SimulationWorld world)
    {
        var stores = world.Clusters.SelectMany(c => c.RemoteRows is { } rows ? new[] { c.State.Counts, rows.Counts } : [c.State.Counts]).ToArray();
        world.Counts.MessagesLost = world.Network.Counts.Lost;
        world.Counts.UnknownOutcomes = world.Network.Counts.Unknown
            + stores.Sum(s => s.UnknownLate + s.UnknownWithEffect + s.UnknownWithoutEffect);
        world.Counts.Conflicts = stores.Sum(s => s.Conflicts);
    }
}
