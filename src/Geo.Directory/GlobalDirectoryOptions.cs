using System.ComponentModel.DataAnnotations;

namespace Geo.Directory;

/// <summary>Limits and waits of a silo's directory of single-instance grains. Checked when the silo starts.</summary>
public sealed record GlobalDirectoryOptions
{
    /// <summary>
    /// How long one request waits for another cluster's answer before it counts as missing; 1 second by default. A messenger that does not
    /// end a request itself is given a quarter more.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// An unanswered request is sent once more, no sooner than this after the first time; 200 ms by default. To a cluster without a link it
    /// is sent once more no sooner than this after the link went down: while a cluster is known to be unreachable a first access waits for
    /// nothing.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:30")]
    public TimeSpan ResendDelay { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// How long after its start another silo may regard an unfinished round as abandoned; 5 seconds by default. Must be longer than two
    /// requests, each with a quarter more, and the delay between them.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RoundLifetime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long an acquisition competes with other clusters and silos before the caller gets a <see cref="GeoUnavailableException"/>;
    /// 10 seconds by default. A round under way is finished first, and waits of <see cref="TakeoverTimeout"/> do not count.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan AcquireTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long an acquisition waits, altogether, until dead nodes of its own cluster that had the instance are fenced off
    /// (<see cref="NodeState.Unfenced"/>) before the caller gets a <see cref="GeoUnavailableException"/>; 20 seconds by default. The host's
    /// fencing must take less.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan TakeoverTimeout { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// The longest wait before a round that was cancelled twice starts over; 5 ms by default. It doubles with every further time, and each
    /// wait is drawn from its upper half. A round that was cancelled once starts over at once.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:00:30")]
    public TimeSpan RestartBackoff { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>The longest wait before a cancelled round starts over; 1 second by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan MaxRestartBackoff { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many requests are left without an answer, for up to half a <see cref="RequestTimeout"/>, while a round of this cluster that has
    /// precedence is under way, so that the answer can be who has won; 1,000 by default. Any more are told at once to ask again.
    /// </summary>
    [Range(0, 1_000_000)]
    public int MaxHeldRequests { get; init; } = 1_000;

    /// <summary>How often a silo looks again at a row while another silo of the cluster runs the round; every 5 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:00:30")]
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>How often a store operation of unknown outcome is tried before the directory gives up on it; 4 times by default.</summary>
    [Range(1, 100)]
    public int StoreAttempts { get; init; } = 4;

    /// <summary>The wait between two tries of a store operation of unknown outcome; 50 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan StoreRetryDelay { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// How long one store operation, or the next entry of a list, may take; 2 seconds by default. After that its outcome is unknown and
    /// followed up, at most <see cref="StoreAttempts"/> times, whether or not the store still works on it.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan StoreTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How many grains a silo places at the same time; 10,000 by default. A call for one more is refused with the reason.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxAcquisitions { get; init; } = 10_000;

    /// <summary>
    /// Of how many grains a silo may have the instance; 10,000,000 by default. A call for one more is refused with the reason until others
    /// have been released.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxHeldRows { get; init; } = 10_000_000;

    /// <summary>
    /// How many requests of other clusters a silo answers at the same time; 10,000 by default. One more is refused for now: its requester
    /// asks another silo of the cluster, and starts over where that has no room either.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxRequests { get; init; } = 10_000;

    /// <summary>
    /// How many store operations that are no longer waited for may still be under way; 1,000 by default. From then on every further one
    /// ends at once as unknown, but for one now and then, each minute at least, which finds out whether the store works again.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxAbandonedOperations { get; init; } = 1000;

    /// <summary>
    /// How long the end of a duplicate instance is waited for, which lasts as long as the call that runs on it; 5 seconds by default. After
    /// that its row stays yielding until the instance has ended, and nothing else waits for it.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan DeactivationTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How many duplicate instances may be ending at the same time; 10,000 by default. Others wait for their next try.</summary>
    [Range(1, 10_000_000)]
    public int MaxDeactivations { get; init; } = 10_000;

    /// <summary>How often the Doubtful rows are tried again; every 5 seconds by default, and at once when a link comes up.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan ResolveInterval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How often one silo of the cluster looks through the index of the Doubtful rows for those that no silo has in mind, and through all
    /// rows for what silos that are gone left behind; every minute by default, the index also at start and when a link comes up. A scan
    /// that takes longer is followed by the next one.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "1.00:00:00")]
    public TimeSpan ScanInterval { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How many rows a second a scan looks at; 10,000 by default.</summary>
    [Range(1, 100_000_000)]
    public int ScanRowsPerSecond { get; init; } = 10_000;

    /// <summary>How long a silo that scans may be silent before another one of the cluster may scan; 30 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:01", "01:00:00")]
    public TimeSpan ScanTurn { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long the Owned rows of a silo that is gone are kept for other silos of the cluster to take over while nobody asks for their
    /// grains; 10 minutes by default. After that the scan gives them up.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "7.00:00:00")]
    public TimeSpan GoneRowRetention { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// How many Doubtful rows a silo keeps in mind to try them again; 100,000 by default. Those beyond are counted, and found again by the
    /// index when there is room.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxDoubtfulKeys { get; init; } = 100_000;

    /// <summary>How many Doubtful rows are tried again at the same time; 8 by default.</summary>
    [Range(1, 1024)]
    public int ResolveParallelism { get; init; } = 8;

    /// <summary>
    /// How many grains of other clusters the silo remembers the place of, in memory; 100,000 by default. Beyond it the one used least
    /// recently (roughly: second chance) is forgotten, which costs its next caller a round, and counted.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxHints { get; init; } = 100_000;

    /// <summary>
    /// How many of the latest moves of single-instance grains a silo remembers for tools to show, and how many of the latest changes of the
    /// configuration; 10,000 of each by default, 80 bytes each beside keys and reasons. The oldest give way, and are counted; 0 for none.
    /// </summary>
    [Range(0, 10_000_000)]
    public int JournalSize { get; init; } = 10_000;

    /// <summary>
    /// How many instances a silo looks at whose classes have a home (<see cref="HomeAttribute"/>), and of how many it remembers that they
    /// were moved within the last minute; 100,000 by default, about 300 bytes each. Those beyond stay where they are.
    /// </summary>
    [Range(0, 10_000_000)]
    public int MaxHomedGrains { get; init; } = 100_000;

    /// <summary>How many grains a silo moves to their homes at the same time; 256 by default.</summary>
    [Range(1, 10_000)]
    public int MaxHomeMoves { get; init; } = 256;

    /// <summary>
    /// How often a silo looks whether the configuration store has a later version; every second by default. A change takes about four
    /// looks and two renewals of leases.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan ConfigurationRefresh { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The channel of the directory's messages. Null by default: hosts take their channel for control traffic then, the directory itself
    /// the default one.
    /// </summary>
    public string? Channel { get; init; }

    /// <summary>How long callers, and whoever moves a grain, wait for another cluster to take it.</summary>
    internal TimeSpan TakeTimeout => 2 * RequestTimeout;

    /// <exception cref="GeoConfigurationException">An option is out of range, or the configuration lacks the local cluster.</exception>
    internal void Check(ClusterId local, MultiClusterConfiguration configuration)
    {
        const string what = "The options of the directory";
        OptionsCheck.Check(what, [this]);

        // Only of values in their range can be computed.
        OptionsCheck.Check(
            what,
            [],
            RoundLifetime > (RoundRequests.Patience(this) * 2) + ResendDelay ? null
                : $"RoundLifetime ({RoundLifetime}) must be longer than two and a half RequestTimeout ({RequestTimeout}) and one "
                    + $"ResendDelay ({ResendDelay}), or rounds are regarded as abandoned while they run");

        if (!configuration.Includes(local))
        {
            throw new GeoConfigurationException(
                $"The local cluster '{local}' is not in configuration {configuration.Version} of the multi-cluster "
                + $"({string.Join(", ", configuration.Clusters)}); add it, or name the local cluster as it is there.");
        }
    }
}
