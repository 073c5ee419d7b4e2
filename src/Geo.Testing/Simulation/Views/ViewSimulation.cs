using System.Globalization;

namespace Geo.Testing;

/// <summary>
/// Sessions that go from cluster to cluster, on versioned grains of every kind (batching compare-and-swap, the leader-based protocol under
/// both rules of confirmation, single instances in a store and in memory, read replicas), in clusters of one or two silos, under faults
/// that a seed chooses. All checkers look at the histories.
/// </summary>
/// <remarks>
/// Checked: the four guarantees of a session; causal order, consistent prefix, convergence and exactly-once of what is confirmed;
/// linearizability of confirmed updates and linearizable reads; and that a read replica's read has all that was confirmed before its bound.
/// A grain whose last memory was lost, as docs/consistency.md says when, is left out; not where silos only stop in good order. In some
/// seeds clusters have limits that a few callers meet, updates cannot be written, grains are idle soon, or the store goes back to a backup.
/// </remarks>
public static class ViewSimulation
{
    private static readonly GeoSimulationOptions Limits = new();

    /// <summary>Runs one seed.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <returns>What the run went through.</returns>
    /// <exception cref="SimulationException">A guarantee is broken; the message says which, and the seed to replay it.</exception>
    public static SimulationReport Run(SimulationSeed seed) => Run(seed, keepsSessions: true);

    /// <summary>As <see cref="Run(SimulationSeed)"/>, with something broken on purpose, to show that it is noticed.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="keepsSessions">False where sessions forget what they have seen.</param>
    /// <param name="breakState">Wraps the store of versions.</param>
    /// <param name="keepsBounds">False where bounded reads of volatile grains ask for no bound.</param>
    internal static SimulationReport Run(
        SimulationSeed seed, bool keepsSessions, Func<IConditionalStore, IConditionalStore>? breakState = null, bool keepsBounds = true)
    {
        ViewRun? run = null;
        var end = GeoSimulation.Run(
            new Choices(seed), keepStory: false,
            world =>
            {
                world.BreakState = breakState;
                return (run = new ViewRun(world) { KeepsSessions = keepsSessions, KeepsBounds = keepsBounds }).LiveAsync();
            },
            Limits);
        return end.Failure is null
            ? new(end.Seed, run!.Faults, run.World.Clusters.Count, end.Steps, end.At, end.Hash, "", run.World.Counts)
            : throw new SimulationException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Views, seed {end.Seed} failed at {end.At.TotalSeconds:0.000} s, step {end.Steps}: {end.Failure} Replay with "
                    + $"'simulate --views --from {end.Seed} --seeds 1'."), end.Cause);
    }
}
