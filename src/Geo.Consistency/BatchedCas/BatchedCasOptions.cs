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
    /// The most callers that wait for a confirm or a refresh of one view; 10,000 by default. Further ones are counted, and get a
    /// <see cref="GeoUnavailableException"/> at once, or, where they may have raised updates before, which stay as they are, a
    /// <see cref="GeoOutcomeUnknownException"/>.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxWaiters { get; init; } = 10_000;

    /// <summary>How long one storage operation may take before its outcome counts as unknown; 30 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan StorageTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many storage operations of one view may be left to themselves because the store ended them neither in time nor when it was told
    /// to; 8 by default. While so many have not ended none is begun but one now and then, each minute at least, which finds out whether the
    /// store works again.
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
    /// Of how many instances the number of the last update is kept with the state; 16 by default. More only matters when more instances
    /// than this write between a write of unknown outcome, or a hand-in, and the read that settles it; then the writer learns that the
    /// outcome is lost. At most one less hand their updates in to one write.
    /// </summary>
    [Range(2, 1024)]
    public int MaxInstances { get; init; } = 16;

    /// <summary>
    /// How many compare-and-swaps an instance loses in a row before it hands its updates in to the last writer; 2 by default: one is an
    /// accident, and equally fast instances that ask each other at once get in each other's way.
    /// </summary>
    [Range(1, 1_000)]
    public int HandInAfter { get; init; } = 2;

    /// <summary>
    /// The most bytes of updates that an instance which loses its compare-and-swaps hands in to the last writer at a time; 1 MiB by
    /// default. What does not fit, and all with 0, it writes itself.
    /// </summary>
    [Range(0, 16 * 1024 * 1024)]
    public int MaxHandInBytes { get; init; } = 1024 * 1024;

    /// <summary>
    /// The most bytes of updates of other instances that a view holds to write them with its own; 8 MiB by default, and at most
    /// <see cref="MaxPending"/> updates. Those of others are refused and counted; they write themselves.
    /// </summary>
    [Range(0, 1024 * 1024 * 1024)]
    public int MaxGuestBytes { get; init; } = 8 * 1024 * 1024;

    /// <summary>
    /// How long an instance waits at first for another one to write what it handed in, before it writes that itself; 1 second by default.
    /// Where that takes longer, it waits four times as long as the last one took, and twice as long after each that was not answered, up
    /// to <see cref="StorageTimeout"/>.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan HandInWait { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// When updates that nobody waits for are tried again after the store refused for good, or what is stored cannot be read; 1 minute by
    /// default. Whoever waits for a confirm or a refresh tries at once.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan RefusedRetry { get; init; } = TimeSpan.FromMinutes(1);
}
