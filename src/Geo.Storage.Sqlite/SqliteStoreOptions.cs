using System.ComponentModel.DataAnnotations;

namespace Geo.Storage.Sqlite;

/// <summary>Where a <see cref="SqliteConditionalStore"/> keeps its file, and its limits. Checked when the store opens.</summary>
public sealed record SqliteStoreOptions
{
    /// <summary>
    /// The file; created when it does not exist, in a directory that does. On a local disk: SQLite's log does not work over a network.
    /// </summary>
    [Required]
    public required string Path { get; init; }

    /// <summary>What an applied write survives; <see cref="SqliteDurability.Full"/> by default.</summary>
    [EnumDataType(typeof(SqliteDurability))]
    public SqliteDurability Durability { get; init; } = SqliteDurability.Full;

    /// <summary>How long to wait for another process that holds the file before the outcome is unknown; 5 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:10:00")]
    public TimeSpan BusyTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The largest value accepted, in bytes; 16 MiB by default.</summary>
    [Range(1, 512 * 1024 * 1024)]
    public int MaxValueBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>
    /// The most writes, and the most reads, that may wait; 10,000 by default. One more is unknown at once, certainly without effect.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxQueued { get; init; } = 10_000;

    /// <summary>The most operations in one transaction; 512 by default.</summary>
    [Range(1, 100_000)]
    public int MaxBatch { get; init; } = 512;

    /// <summary>How many threads, each with a connection, read; 2 by default. One more thread writes.</summary>
    [Range(1, 64)]
    public int Readers { get; init; } = 2;

    internal void Validate() => OptionsCheck.Check("The options of the SQLite store", [this]);
}
