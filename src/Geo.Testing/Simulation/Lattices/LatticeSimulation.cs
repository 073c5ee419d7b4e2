using System.Globalization;

namespace Geo.Testing;

/// <summary>
/// Random runs of three replicas of coordination-free grains on one thread in virtual time: updates and removals under loss, duplication,
/// reordering, cuts, crashes and restarts, in every second seed with stores that lose, delay and hang, and crashes of all clusters, in some
/// with a replica that has no room for all, or whose clock is an hour ahead until it starts anew. In every ninth seed each grain has
/// replicas in two of the clusters only, to which calls made in the other one go; in every third of these clusters are added and taken out,
/// or replicas become more or fewer, and what a cluster has that stops or crashes meanwhile is nowhere lost; in every other one without
/// stores the third cluster has replicas of what is called there for as long as it is, and in every fourth of those with changes others
/// have. In every seventh seed sessions and transactions of one of the ten levels move between the clusters instead.
/// </summary>
/// <remarks>
/// Checked at the end, once all is healed: all replicas of a grain have the same state; what living replicas have added to sets and
/// nobody has removed is there; a counter shows all that living replicas added and all that was stored, and no more than was added; the
/// stores lack nothing; a level's sessions have seen none of the anomalies that it, or one that it includes, forbids.
/// </remarks>
public static class LatticeSimulation
{
    private static readonly ConsistencyLevel[] Levels = Enum.GetValues<ConsistencyLevel>();

    /// <summary>Runs one seed.</summary>
    /// <param name="seed">Decides everything; even ones have stores, those that nine divides replicas in some clusters.</param>
    /// <returns>What the run took: the same whenever the seed is run.</returns>
    /// <exception cref="SimulationException">What has to hold does not; the message says what, and the seed to replay it.</exception>
    public static LatticeSimulationReport Run(SimulationSeed seed)
    {
        ILatticeSchedule schedule = seed.Value % 27 == 0
            ? new LatticeMoveSchedule(seed.Value, isStored: seed.Value % 2 == 0, isHot: seed.Value % 4 == 1)
            : seed.Value % 7 == 3 ? new CheckedLevelSchedule(seed.Value, Levels[seed.Value / 7 % Levels.Length])
            : new LatticeSchedule(seed.Value, isStored: seed.Value % 2 == 0, replicas: seed.Value % 9 == 0 ? 2 : 0,
                isHot: seed.Value % 18 == 9);
        if (schedule.Run() is { } violation)
        {
            throw new SimulationException(string.Create(CultureInfo.InvariantCulture, $"Seed {seed} failed: {violation}"));
        }

        var (steps, time) = schedule.Taken;
        return new(seed.Value, steps, time, schedule.Contents);
    }
}
