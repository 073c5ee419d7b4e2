using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency;

/// <summary>Limits and times of the batching compare-and-swap views.</summary>
public sealed class BatchedCasOptions
{
    /// <summary>The most updates applied by one conditional write; 10,000 by default. Updates enqueued together are never split.</summary>
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

    /// <summary>How long one storage operation may take before its outcome counts as unknown; 30 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan StorageTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many storage operations of one view may be left to themselves because the store ended them neither in time nor when it was told
    /// to; 8 by default. While so many have not ended no further one is begun.
    /// </summary>
    [Range(1, 1_000)]
    public int MaxAbandonedOperations { get; init; } = 8;

    /// <summary>The first wait after storage failed; doubles up to <see cref="RetryMaximum"/>. 100 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RetryBase { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest wait after storage failed; 5 seconds by default. There is no limit to the number of tries.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RetryMaximum { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The mean first wait after the second conflict in a row; doubles up to <see cref="ConflictMaximum"/>. 10 ms by default. The first
    /// conflict is retried at once.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan ConflictBase { get; init; } = TimeSpan.FromMilliseconds(10);

    /// <summary>The longest wait after a conflict; 1 second by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan ConflictMaximum { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The largest stored value, in bytes, that is sent along with a notification; 64 KiB by default. Of a larger one only the
    /// version is sent, and the receivers read it from storage.
    /// </summary>
    [Range(0, 16 * 1024 * 1024)]
    public int MaxNotifiedBytes { get; init; } = 64 * 1024;

    /// <summary>
    /// How many instances' write stamps are kept with the state; 16 by default. More only matters when more instances than this write
    /// between a write of unknown outcome and the read that settles it; then the writer learns that the outcome is lost.
    /// </summary>
    [Range(2, 1024)]
    public int MaxStamps { get; init; } = 16;
}
