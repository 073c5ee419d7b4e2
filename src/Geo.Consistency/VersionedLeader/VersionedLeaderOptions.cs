using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency;

/// <summary>Limits and times of the leader-based views.</summary>
public sealed class VersionedLeaderOptions
{
    /// <summary>The most updates sent to the leader at once; 10,000 by default. Updates enqueued together are never split.</summary>
    [Range(1, 1_000_000)]
    public int MaxBatch { get; init; } = 10_000;

    /// <summary>The most unconfirmed updates a view queues; 100,000 by default. Enqueuing more throws.</summary>
    [Range(1, 10_000_000)]
    public int MaxPending { get; init; } = 100_000;

    /// <summary>
    /// The most callers that wait for a confirm or a refresh of one view; 10,000 by default. Further ones get a
    /// <see cref="GeoUnavailableException"/> at once and are counted; what they enqueued stays queued.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxWaiters { get; init; } = 10_000;

    /// <summary>The first wait after the leader did not answer; doubles up to <see cref="RetryMaximum"/>. 100 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RetryBase { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest wait after the leader did not answer; 5 seconds by default. There is no limit to the number of tries.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RetryMaximum { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a starting leader waits for the other instances' versions before it goes on with the newest that arrived; 1 second by
    /// default. Versions that only a silent instance knew are lost then, and that instance hears it as an issue.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RecoveryWait { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many instances' last sequence numbers travel with the state, so that a batch sent again is applied once; 64 by default.
    /// An instance whose entry was displaced while its batch was in doubt learns that the outcome is lost.
    /// </summary>
    [Range(2, 4096)]
    public int MaxInstances { get; init; } = 64;
}
