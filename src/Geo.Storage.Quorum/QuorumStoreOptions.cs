using System.ComponentModel.DataAnnotations;

namespace Geo.Storage.Quorum;

/// <summary>Settings of a <see cref="QuorumConditionalStore"/>.</summary>
public sealed record QuorumStoreOptions
{
    /// <summary>
    /// The service under which acceptors are asked: one for each store, the same in all clusters. Null by default: named after the store.
    /// </summary>
    [StringLength(200, MinimumLength = 1)]
    public string? Service { get; init; }

    /// <summary>
    /// The channel of its messages. Null by default: the messenger's default one.
    /// </summary>
    public string? Channel { get; init; }

    /// <summary>How long an acceptor is waited for, and how long it tries for one request; 2 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long an operation may take with all its tries; 10 s by default. Its outcome is unknown then.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan OperationTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the own store may take for one step of the acceptor; 2 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan StoreTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How many operations of the own store that are not waited for any more may not have ended; 1,000 by default.</summary>
    [Range(1, 1_000_000)]
    public int MaxAbandonedOperations { get; init; } = 1000;

    /// <summary>
    /// The first pause of a proposer that was refused; 5 ms by default. It doubles up to <see cref="MaxBackoff"/>, and each is drawn at
    /// random from zero. About the time that a majority takes to answer comes to it, for whoever is faster.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan MinBackoff { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>The longest pause of a proposer that was refused; 500 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan MaxBackoff { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// Of how many keys a process remembers that it wrote last, so that its next write takes one trip and not two; and of how many, since
    /// when its cluster's store has their value, which lists tell. 100,000 by default, some 300 bytes each, and 200.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxKnownKeys { get; init; } = 100_000;

    /// <summary>
    /// The largest value, in bytes; 1 MiB by default. It travels in one message, and the own stores of all clusters must take it and some
    /// 500 bytes more.
    /// </summary>
    [Range(1, 512 * 1024 * 1024)]
    public int MaxValueBytes { get; init; } = 1024 * 1024;

    /// <summary>
    /// How long a page of a list is waited for; 10 s by default. An acceptor whose store is slow ends a page after half of it.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan PageTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long after one sweep the next begins, about, whichever process makes it (<see cref="QuorumConditionalStore.SweepAsync"/>);
    /// 10 min by default, null for none but those that are asked for. Only processes with a store of their own sweep by themselves.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:01", "24:00:00")]
    public TimeSpan? SweepEvery { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// How long after a forced removal (<see cref="QuorumConditionalStore.ForceRemoveKeepersAsync"/>) nobody is served yet, so that leases
    /// that are kept in the store, and that a lost cluster may have renewed last, run out first; 5 s by default. Longer than 1.1 times the
    /// longest of them (<c>LeaseDuration</c> of <c>QuorumDirectoryOptions</c>, 2 s by default), and the same in all clusters.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "24:00:00")]
    public TimeSpan ForcedWait { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How many rows a page of a list has, which takes a trip; 4,000 by default.</summary>
    [Range(1, 10_000)]
    public int PageRows { get; init; } = 4000;

    /// <summary>How many rows a page that is asked of this acceptor has at most, whatever is asked; 4,000 by default.</summary>
    [Range(1, 100_000)]
    public int MaxPageRows { get; init; } = 4000;

    /// <summary>
    /// How many bytes of values a page that is asked of this acceptor has before it ends, at least one value; 1 MiB by default.
    /// </summary>
    [Range(1, 512 * 1024 * 1024)]
    public int MaxPageBytes { get; init; } = 1024 * 1024;
}
