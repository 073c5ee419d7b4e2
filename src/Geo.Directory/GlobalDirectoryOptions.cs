using System.ComponentModel.DataAnnotations;

namespace Geo.Directory;

/// <summary>Limits and waits of a <see cref="GlobalDirectory"/>. Checked when it is created.</summary>
public sealed record GlobalDirectoryOptions
{
    /// <summary>How long one request waits for another cluster's answer before it counts as missing; 1 second by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// An unanswered request is sent once more, no sooner than this after the first time; 200 ms by default. With a cluster known to be
    /// unreachable this is what a first access waits.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:30")]
    public TimeSpan ResendDelay { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// How long after its start another silo may regard an unfinished round as abandoned; 5 seconds by default. Must be longer than two
    /// requests and the delay between them.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RoundLifetime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long an acquisition competes with other clusters and silos before the caller gets a <see cref="GeoUnavailableException"/>;
    /// 10 seconds by default. A round under way is finished first.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan AcquireTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The longest first wait before a cancelled round starts over; 50 ms by default. It doubles with every further restart, and each
    /// wait is drawn from its upper half.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:00:30")]
    public TimeSpan RestartBackoff { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest wait before a cancelled round starts over; 1 second by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan MaxRestartBackoff { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How often a silo looks again at a row while another silo of the cluster runs the round; every 20 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:00:30")]
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>How often a store operation of unknown outcome is tried before the directory gives up on it; 4 times by default.</summary>
    [Range(1, 100)]
    public int StoreAttempts { get; init; } = 4;

    /// <summary>The wait between two tries of a store operation of unknown outcome; 50 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan StoreRetryDelay { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>How often the Doubtful rows are tried again; every 5 seconds by default, and at once when a link comes up.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan ResolveInterval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How often all rows are listed to find Doubtful rows that another silo left behind, and Cached rows beyond the limit; every minute
    /// by default, and at start and when a link comes up.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "1.00:00:00")]
    public TimeSpan ScanInterval { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How many Doubtful rows are tried again at the same time; 8 by default.</summary>
    [Range(1, 1024)]
    public int ResolveParallelism { get; init; } = 8;

    /// <summary>
    /// How many Cached rows are kept; 100,000 by default. Beyond it the one used least recently (roughly: second chance) is removed,
    /// which costs its next caller a round, and counted.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxCachedRows { get; init; } = 100_000;

    /// <summary>The channel of the directory's messages. Null by default: hosts take their channel for control traffic then, the directory itself the default one.</summary>
    public string? Channel { get; init; }
}
