namespace Geo.Directory;

/// <summary>
/// Whether a grain is to move, by what its class says of its home (<see cref="HomeAttribute"/>), as pure functions. A move is a release and
/// a take (rule Q7 of the design of regions): that a grain has one owner depends on nothing here.
/// </summary>
internal static class HomeRules
{
    /// <summary>How often is looked.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(500);

    /// <summary>How long a grain stays where it was moved to.</summary>
    public static readonly TimeSpan Stay = TimeSpan.FromMinutes(1);

    // 64 minutes.
    private const int MostDoublings = 6;

    /// <summary>How long a grain stays that was found in doubt.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>How many looks in a row must want one cluster.</summary>
    public const int Looks = 2;

    /// <summary>How many calls a cluster must have made, at least, to be followed.</summary>
    public const int LeastCalls = 20;

    /// <summary>How many times the calls of the cluster that has the grain.</summary>
    public const int Times = 2;

    // The square of how many standard deviations.
    private const int Certainty = 4;

    /// <summary>From so many calls on, those counted so far count half after a look.</summary>
    public const int Full = 48;

    /// <summary>A look at a grain that is here.</summary>
    /// <param name="state">What the last look has left.</param>
    /// <param name="home">What its class says.</param>
    /// <param name="local">The cluster that has it.</param>
    /// <param name="calls">The calls, of each cluster once; none where no callers are followed.</param>
    /// <param name="mayTake">True for a cluster that can have it now.</param>
    /// <param name="now">The time, of a clock that only goes on.</param>
    /// <returns>What is remembered, and the cluster to move it to; none to leave it.</returns>
    public static (HomeState Next, ClusterId To) Look(
        HomeState state, HomeDeclaration home, ClusterId local, ReadOnlySpan<CallerCount> calls, Func<ClusterId, bool> mayTake,
        TimeSpan now)
    {
        var wanted = home.Policy == HomePolicy.PreferredCluster ? home.Cluster : Followed(local, calls);
        if (wanted.IsNone || wanted == local || !mayTake(wanted))
        {
            return (new(default, 0, state.StaysUntil), default);
        }

        var looks = wanted == state.Wanted ? Math.Min(state.Looks + 1, Looks) : 1;
        return looks == Looks && now >= state.StaysUntil
            ? (new(default, 0, now + Stay), wanted)
            : (new(wanted, looks, state.StaysUntil), default);
    }

    /// <summary>The grain has come here by a move: from when on it may move again.</summary>
    public static TimeSpan StaysUntil(TimeSpan arrivedAt) => arrivedAt + Stay;

    /// <summary>
    /// How long a grain stays whose moves have failed so often in a row: each ends its instance for nothing, and where it is wanted it may
    /// never be taken.
    /// </summary>
    public static TimeSpan StayAfter(int failures) => Stay * (1 << Math.Clamp(failures - 1, 0, MostDoublings));

    /// <summary>The cluster with the most calls, if those are enough; none otherwise.</summary>
    private static ClusterId Followed(ClusterId local, ReadOnlySpan<CallerCount> calls)
    {
        var (most, here, all) = (default(CallerCount), 0, 0L);
        foreach (var count in calls)
        {
            here = count.Cluster == local ? count.Calls : here;
            most = count.Calls > most.Calls ? count : most;
            all += count.Calls;
        }

        // So many more than that as so few calls do not show by chance.
        var more = most.Calls - ((long)Times * here);
        return most.Cluster != local && most.Calls >= LeastCalls && more > 0 && more * more >= Certainty * all ? most.Cluster : default;
    }
}
