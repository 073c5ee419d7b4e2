using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Limits and times of coordination-free grains. Bounds hold for each group of grains that is replicated for itself: those of session
/// levels, all others, and, of classes with <see cref="CoordinationFreeAttribute.Replicas"/>, each of 32 parts.
/// </summary>
public sealed class LatticeOptions
{
    /// <summary>
    /// How long updates are gathered before they are sent to the other clusters, merged; 100 ms by default. Longer ones cost fewer bytes
    /// where the same grains are updated often.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan Epoch { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The size of one message of updates in bytes; 1 MiB by default. What is more is asked for by its receiver, message by message.
    /// </summary>
    [Range(1024, 64 * 1024 * 1024)]
    public int MaxFrameBytes { get; init; } = 1024 * 1024;

    /// <summary>
    /// How many bytes are on their way to a replica unacknowledged before the next updates wait, merged, at the sender; 4 MiB by default.
    /// </summary>
    [Range(1024, 1024 * 1024 * 1024)]
    public int MaxBytesInFlight { get; init; } = 4 * 1024 * 1024;

    /// <summary>
    /// How long an acknowledgement is waited for before updates are sent again; 1 second by default, doubled up to
    /// <see cref="MaxRetryAfter"/> while none comes.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan RetryAfter { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest wait of <see cref="RetryAfter"/>; 10 seconds by default. A link that comes up ends any.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan MaxRetryAfter { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a replica knows of updates that others have and it has not before it asks one of them; 1 second by default. They come by
    /// themselves, unless their source has died or is cut off.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan RepairAfter { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How often a replica tells the others what it has, where that has changed; 10 seconds by default. Nothing is sent when nothing has
    /// changed.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan StatusInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How often empty grains that all replicas have seen are forgotten; 10 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan CollectInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How far the clock of another cluster may be ahead; 5 minutes by default. The stamps of one that is further ahead move no clock, but
    /// only what is written to the same grains after them, and are counted; sessions that have its clock are refused elsewhere.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxClockAhead { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// How many grains a silo keeps; 10,000,000 by default. An update of a further one is refused; one that comes from another cluster is
    /// put aside and reported (<see cref="MaxQuarantined"/>).
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxGrains { get; init; } = 10_000_000;

    /// <summary>
    /// How many updates of other clusters that cannot be read or merged are remembered for reports; 1,000 by default. Each is logged and
    /// counted; the others go on.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxQuarantined { get; init; } = 1_000;

    /// <summary>
    /// How many bytes of other replicas' updates may wait here for updates that they follow, and as many of what was asked for, until all
    /// of it has come; 256 MiB by default. For levels from <see cref="ConsistencyLevel.MonotonicReads"/> to
    /// <see cref="ConsistencyLevel.Causal"/>. What is more is dropped and sent again; a replica that begins must find room for all,
    /// and asks more and more seldom while it does not.
    /// </summary>
    [Range(1024 * 1024, long.MaxValue)]
    public long MaxHeldBytes { get; init; } = 256 * 1024 * 1024;

    /// <summary>How many updates a transaction may make, and grains it may read, that it keeps until its end; 10,000 by default.</summary>
    [Range(1, 10_000_000)]
    public int MaxTransactionUpdates { get; init; } = 10_000;

    /// <summary>
    /// How many callers may wait for other clusters to know their updates, for a store to have them, or, of sessions, for updates to come;
    /// 10,000 each by default. Further ones are refused.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxWaiters { get; init; } = 10_000;

    /// <summary>
    /// How long changes of a grain whose class has a store are gathered before its state is written there; 1 second by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan SaveEvery { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How many states are being written at once; 32 by default. Others wait, and take up what changes meanwhile.</summary>
    [Range(1, 10_000)]
    public int MaxSaving { get; init; } = 32;

    /// <summary>How long one operation of a store may take before its outcome counts as unknown; 30 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan StorageTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many operations of all stores may be left to themselves because the store ended them neither in time nor when it was told to; 64
    /// by default. While so many have not ended none is begun but one now and then, which finds out whether the store works again.
    /// </summary>
    [Range(1, 10_000)]
    public int MaxAbandonedOperations { get; init; } = 64;

    /// <summary>
    /// Clusters of the configuration that are to have no replicas of classes with <see cref="CoordinationFreeAttribute.Replicas"/> any
    /// more, because they are about to be taken out of it; none by default. The same in all clusters. They hand over what they have, and
    /// their calls go to the others; see docs/operations.md.
    /// </summary>
    public IReadOnlyList<string> LeavingClusters { get; init; } = [];

    /// <summary>
    /// How many calls a second of one grain, of a class with <see cref="CoordinationFreeAttribute.Replicas"/> that other clusters have,
    /// must be made in this cluster, for some three seconds, for it to take a replica of the grain's part, too; 0, the default, for never.
    /// It serves its own calls then, for as long as they are at least a quarter as many, and <see cref="HotFor"/> longer. What it has then
    /// stays in memory, without any traffic. On Geo.Embedded; not for classes with a store, or with bounded counters.
    /// </summary>
    [Range(0, 1_000_000_000)]
    public double HotRate { get; init; }

    /// <summary>How long a replica that was taken for <see cref="HotRate"/> serves calls after that; 1 minute by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan HotFor { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How large and deep a state may be that comes from another cluster.</summary>
    [Required, ValidateObjectMembers]
    public LatticeLimits Limits { get; init; } = LatticeLimits.Default;

    /// <summary>How long to wait after so many tries in vain before the next.</summary>
    internal TimeSpan WaitAfter(int tries) => BackOff.Doubled(tries + 1, RetryAfter, MaxRetryAfter);
}
