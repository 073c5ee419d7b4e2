using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency;

/// <summary>Limits and times of the leader-based views.</summary>
public sealed class VersionedLeaderOptions
{
    // Of a message, for what goes with the state or the updates of a volatile grain: its key, terms, and the numbers of its instances.
    private const int MaxHeadBytes = 1024 * 1024;

    /// <summary>The most updates sent to the leader at once; 10,000 by default. Updates enqueued together are never split.</summary>
    [Range(1, 1_000_000)]
    public int MaxBatch { get; init; } = 10_000;

    /// <summary>
    /// The most bytes of a state, of the updates sent to the leader at once, and of updates enqueued together; 60 MiB by default. What is
    /// larger is refused with a <see cref="GeoSerializationException"/>, because no message could carry it: 63 MiB at most, and at least
    /// 1 MiB less than the largest message between silos (<c>MaxMessageBytes</c>), or a silo with such grains does not start, with a
    /// <see cref="GeoConfigurationException"/>. So silos with such grains need messages of 1 MiB and 1 KiB at least; others need not. The
    /// same in all clusters.
    /// </summary>
    [Range(1024, 63 * 1024 * 1024)]
    public int MaxBytes { get; init; } = 60 * 1024 * 1024;

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

    /// <summary>The first wait after the leader did not answer; doubles up to <see cref="RetryMaximum"/>. 100 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RetryBase { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The longest wait after the leader did not answer, and how long a leader waits for a majority before it says that it has none;
    /// 5 seconds by default. There is no limit to the number of tries.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan RetryMaximum { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long one question of a replica to another cluster's, or what a leader tells it, waits for the answer; 3 seconds by default. A
    /// cluster that is silent for that long is asked again later, and never counts as one that knows nothing.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan AnswerWait { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>
    /// How long the leader's cluster may be out of reach before another one asks to lead; 5 seconds by default. Only where updates are
    /// confirmed by a majority: otherwise nobody else may know the latest version.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan TakeOverAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long a silo that stops waits for other clusters to lead what it leads; 2 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan HandOverWait { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The most grains that a silo remembers while they are not active on it; 100,000 by default. The memory of the one used longest ago is
    /// dropped first, as if its cluster had restarted, and counted. As many are kept at most of those that were given to another silo of
    /// the cluster, until that says that it has them.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxParked { get; init; } = 100_000;

    /// <summary>
    /// The most bytes of states that a silo remembers of grains that are not active on it; 1 GiB by default. Room is made as for
    /// <see cref="MaxParked"/>; the grain used last stays, whatever its size.
    /// </summary>
    [Range(1024, long.MaxValue)]
    public long MaxParkedBytes { get; init; } = 1024L * 1024 * 1024;

    /// <summary>
    /// How many instances' last sequence numbers travel with the state, so that a batch sent again is applied once; 64 by default.
    /// An instance whose entry was displaced while its batch was in doubt learns that the outcome is lost.
    /// </summary>
    [Range(2, 4096)]
    public int MaxInstances { get; init; } = 64;

    /// <summary>
    /// The number of the list of clusters, to be raised with every change of it; 1 by default. Silos whose lists differ must not have one
    /// number.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int Configuration { get; init; } = 1;

    /// <summary>
    /// The clusters of the list before, while grains may be in use that no leader of the present list has told of it; none by default.
    /// They are asked, too, before a term begins. Leaving one out that holds what no other has loses that: an operator's last resort when a
    /// cluster is gone for good.
    /// </summary>
    public IReadOnlyList<string> FormerClusters { get; init; } = [];

    /// <summary>Volatile grains need a messenger that carries what these options allow; others do not.</summary>
    /// <exception cref="GeoConfigurationException">It does not.</exception>
    internal void EnsureCarriedBy(IClusterMessenger messenger)
    {
        if (MaxBytes > messenger.MaxMessageBytes - MaxHeadBytes)
        {
            throw new GeoConfigurationException(
                $"{nameof(VersionedLeaderOptions)}:{nameof(MaxBytes)} is {MaxBytes}, and the messenger carries at most "
                + $"{messenger.MaxMessageBytes} bytes (MaxMessageBytes), of which {MaxHeadBytes} are needed besides: a larger state could "
                + "never reach another cluster. Lower the one or raise the other, in all clusters alike.");
        }
    }
}
