using System.Globalization;

namespace Geo.Testing;

/// <summary>
/// The standard simulation: clusters of real embedded silos with single-instance, multi-instance and volatile grains and their clients, on
/// one thread in virtual time with a lossy network, faulty stores and crashes, all decided by one seed. The invariants are checked all the
/// time; afterwards everything heals, and no confirmed update may be lost.
/// </summary>
/// <remarks>
/// Checked: at most one cluster owns a grain (GEO Proposition 3.1), without faults at most one has it Owned or Doubtful (3.2); a
/// pessimistic grain never has two instances; versions never go back; own updates stay visible and in order; every version shown
/// is a prefix of the final one; confirmed updates are there exactly once, unknown ones at most once; the history of linearizable
/// operations is linearizable; every call is answered in time; duplicates and doubts end once the clusters hear from each other.
/// </remarks>
public static class MultiClusterSimulation
{
    /// <summary>Runs one seed.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="options">How large the run is; the defaults when null.</param>
    /// <returns>What the run went through.</returns>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    /// <exception cref="SimulationException">
    /// An invariant is broken; the message is one line that says which, and the seed to replay it.
    /// </exception>
    public static SimulationReport Run(SimulationSeed seed, MultiClusterSimulationOptions? options = null) =>
        Run(new Choices(seed), options);

    /// <summary>Runs the choices of one seed, or of a record of one.</summary>
    /// <inheritdoc cref="Run(SimulationSeed, MultiClusterSimulationOptions?)"/>
    public static SimulationReport Run(Choices choices, MultiClusterSimulationOptions? options = null)
    {
        var (run, end) = RunOnce(choices, options ?? new MultiClusterSimulationOptions());
        if (end.Failure is { } failure)
        {
            throw new SimulationException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Seed {end.Seed} failed at {end.At.TotalSeconds:0.000} s, step {end.Steps}: {failure} Replay with "
                    + $"{SimulationSeed.EnvironmentVariable}={end.Seed}."),
                end.Cause);
        }

        var world = run.World;
        return new SimulationReport(
            end.Seed, run.Faults, world.Clusters.Count, end.Steps, end.At, end.Hash, world.Trace.Text, world.Counts);
    }

    /// <summary>Explores seeds until one fails; that one is run again and made as short as possible.</summary>
    /// <param name="seeds">The seeds.</param>
    /// <param name="options">How large each run is; the defaults when null.</param>
    /// <param name="shrink">What is spent on a shorter schedule; the defaults when null.</param>
    /// <exception cref="SimulationException">
    /// A seed failed, or two runs of one differed. The message says how to replay it, and tells the shortest schedule found.
    /// </exception>
    public static ExplorationReport Explore(
        IEnumerable<SimulationSeed> seeds, MultiClusterSimulationOptions? options = null, ShrinkOptions? shrink = null)
    {
        ArgumentNullException.ThrowIfNull(seeds);
        var all = options ?? new MultiClusterSimulationOptions();
        RunEnd Run(Choices choices, bool keepStory) => RunOnce(choices, all with { KeepTrace = keepStory }).End;
        return new Explorer(Run, ReplayFile.BuildOf(Run), (shrink ?? new()).Checked()).Explore(seeds);
    }

    private static (StandardRun Run, RunEnd End) RunOnce(Choices choices, MultiClusterSimulationOptions options)
    {
        ArgumentNullException.ThrowIfNull(choices);
        var run = new StandardRun(choices, options.Checked());
        var world = run.World;
        Exception? cause = null;
        SwitchedOff.Set(options.SwitchOff);
        try
        {
            world.Scheduler.Run(() => LiveAsync(run));
            Count(world);
        }
#pragma warning disable CA1031 // Whatever it is, it is what the seed has found; it is reported with its cause.
        catch (Exception e)
#pragma warning restore CA1031
        {
            cause = e;
            if (options.TraceFile is { } file)
            {
                File.WriteAllText(file, world.Trace.Text);
            }
        }
        finally
        {
            SwitchedOff.Set([]);
        }

        return (run, RunEnd.Of(world, cause));
    }

    private static async Task LiveAsync(StandardRun run)
    {
        var world = run.World;
        RandomFaults.SetUp(world, run.Faults);
        await (run.Changes?.StartAsync() ?? world.StartAsync());
        var plan = world.Choices.Tape("plan");
        StandardClient[] clients =
        [
            .. from cluster in world.Clusters
               from number in Enumerable.Range(1, run.Options.ClientsPerCluster)
               select new StandardClient(run, cluster, $"{cluster.Id}-client-{number}", isOutside: plan.Next(3) < 2),
        ];
        var until = run.Options.Duration;
        var faults = run.Story is null ? new RandomFaults(world, run.Faults) : null;
        if (run.Story is { } story)
        {
            world.Counts.Count($"stories: {story}");
        }

        faults?.Begin();
        var calling = Task.WhenAll(clients.Select(c => c.RunAsync(until)));
        var changing = run.Changes?.RunAsync(until) ?? Task.CompletedTask;
        await (faults?.RunAsync(until) ?? SiloStory.Of(run).RunAsync());
        faults?.End();

        // Clients within a silo that is frozen end their last calls when it goes on.
        var healed = world.Time.Elapsed;
        await world.EndFaultsAsync();
        if (run.Changes is not null || run.Options.OwnsByQuorum)
        {
            await changing;
            var completing = run.Changes?.CompleteAsync() ?? Task.CompletedTask;
            await AnswerAllAsync(run, healed);
            await completing;
        }

        await calling;
        await world.PassAsync(run.SettleTime);
        world.Watch.CheckSettled();
        StandardChecks.Check(run, await ReadAllAsync(run));
        await world.StopAsync();
    }

    /// <summary>Every grain answers in every cluster, each asked until it does.</summary>
    private static Task AnswerAllAsync(StandardRun run, TimeSpan healed) => Task.WhenAll(
        from cluster in run.World.Clusters
        from grain in run.Grains
        select AnswerAsync(run, cluster, grain, healed));

    private static async Task AnswerAsync(StandardRun run, SimulatedCluster cluster, StandardGrain grain, TimeSpan healed)
    {
        var world = run.World;
        var asker = new StandardClient(run, cluster, $"{cluster.Id}-asks-{grain}", isOutside: true);
        for (; await asker.DumpAsync(grain) is null; await world.PassAsync(TimeSpan.FromMilliseconds(50)))
        {
            if (Since() > run.AnswerTime)
            {
                world.Fail($"{grain} has not answered in {cluster} {Since().TotalSeconds:0.0} s after the last fault");
                return;
            }
        }

        var seconds = (int)Math.Ceiling(Since().TotalSeconds);
        world.Counts.Count(string.Create(CultureInfo.InvariantCulture, $"grains that answered within {seconds:00} s"));

        TimeSpan Since() => world.Time.Elapsed - healed;
    }

    private static async Task<Dictionary<StandardGrain, IReadOnlyList<int>>> ReadAllAsync(StandardRun run)
    {
        var logs = new Dictionary<StandardGrain, IReadOnlyList<int>>();
        foreach (var cluster in run.World.Clusters)
        {
            var reader = new StandardClient(run, cluster, $"{cluster.Id}-reader", isOutside: true);
            foreach (var grain in run.Grains)
            {
                if (await reader.DumpAsync(grain) is not { } log)
                {
                    run.World.Fail($"{grain} cannot be read in {cluster} although everything has healed");
                    continue;
                }

                if (logs.TryGetValue(grain, out var known) && !known.SequenceEqual(log) && !IsLate(run, grain, known, log))
                {
                    run.World.Fail(
                        $"{grain} reads differently in {cluster}: [{string.Join(' ', log)}] instead of [{string.Join(' ', known)}]");
                }

                logs[grain] = log;
            }
        }

        return logs;
    }

    /// <summary>
    /// What a majority keeps may take an update of unknown outcome up as late as when it is read the next time: one acceptor may have had
    /// it all the while.
    /// </summary>
    private static bool IsLate(StandardRun run, StandardGrain grain, IReadOnlyList<int> known, IReadOnlyList<int> log) =>
        run.Options.OwnsByQuorum && known.SequenceEqual(log.Take(known.Count)) && run.History.Operations
            .Where(o => o.ReturnedAt is null && o.Operation.Grain == grain)
            .SelectMany(o => o.Operation.Updates).ToHashSet().IsSupersetOf(log.Skip(known.Count));

    private static void Count(SimulationWorld world)
    {
        var stores = world.Ways.Select(s => s.Counts).ToArray();
        world.Counts.MessagesLost = world.Network.Counts.Lost;
        world.Counts.UnknownOutcomes = world.Network.Counts.Unknown
            + stores.Sum(s => s.UnknownLate + s.UnknownWithEffect + s.UnknownWithoutEffect);
        world.Counts.Conflicts = stores.Sum(s => s.Conflicts);
    }
}
