namespace Geo.Testing;

/// <summary>
/// Runs a team's own Geo.Embedded grains on simulated clusters: the silos that ship, on one thread in virtual time, with a network, stores
/// and clocks that fail as a seed says. A test explores many seeds; one that fails is run again, made as short as possible, and printed
/// with the line that replays it.
/// </summary>
/// <remarks>
/// <para>
/// Watched at every step without further ado: a grain has at most one confirmed owner, a pessimistic one at most one instance, and none two
/// in a cluster. Whatever else must hold the scenario asserts, with the assertions of any test framework.
/// </para>
/// <para>
/// Grains must stay on their silo's thread, as they do in production with <c>await</c>: <c>Task.Run</c>, <c>ConfigureAwait(false)</c>, or a
/// <c>Task.Delay</c> without the silo's <see cref="TimeProvider"/> fail the run with the way out that was taken. Chance and time that are
/// taken from the process (<c>Random.Shared</c>, <c>Guid.NewGuid</c>, <c>DateTime.UtcNow</c>) are found because two runs of a seed differ.
/// </para>
/// </remarks>
public static class GeoSimulation
{
    /// <summary>Explores seeds 1 to <paramref name="seeds"/>.</summary>
    /// <param name="seeds">
    /// How many seeds run. The environment variable <c>GEO_SEED</c> (<c>71</c>, or <c>1-5000</c>) names others, <c>GEO_REPLAY</c> a
    /// recorded schedule.
    /// </param>
    /// <param name="scenario">
    /// What happens: it adds clusters, starts them, calls, breaks things and asserts. Runs once a seed, in a world of its own; must not
    /// share anything mutable between runs.
    /// </param>
    /// <param name="options">Limits; the defaults when null.</param>
    /// <returns>How much was explored.</returns>
    /// <exception cref="SimulationException">
    /// A seed failed: an invariant broke, the scenario threw (its exception is the inner one), work left the thread, the run did not end,
    /// or two runs of it differed. The message says which, when, how to replay it, and what happened in the shortest schedule that was
    /// found.
    /// </exception>
    /// <exception cref="GeoConfigurationException">An option or environment variable does not hold.</exception>
    public static ExplorationReport Explore(int seeds, Func<SimulationWorld, Task> scenario, GeoSimulationOptions? options = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(seeds);
        ArgumentNullException.ThrowIfNull(scenario);
        var limits = (options ?? new GeoSimulationOptions()).Checked();
        return new Explorer(
            (choices, keepStory) => Run(choices, keepStory, scenario, limits), ReplayFile.BuildOf(scenario), limits.Shrink.Checked())
            .Explore(SimulationSeed.FromEnvironment(seeds));
    }

    internal static RunEnd Run(Choices choices, bool keepStory, Func<SimulationWorld, Task> scenario, GeoSimulationOptions limits)
    {
        var world = new SimulationWorld(choices, keepStory, limits.MaxSteps);
        Exception? cause = null;
        try
        {
            world.Scheduler.Run(async () =>
            {
                await scenario(world);
                await world.StopAsync();
            });
        }
#pragma warning disable CA1031 // Whatever the scenario throws is what the seed has found; it is reported with its cause.
        catch (Exception e)
#pragma warning restore CA1031
        {
            cause = e;
        }

        return RunEnd.Of(world, cause);
    }
}
