using System.ComponentModel.DataAnnotations;
using Npgsql;

namespace Geo.Storage.Postgres;

/// <summary>Where a <see cref="PostgresConditionalStore"/> keeps its rows, and its limits. Checked when the store is made.</summary>
public sealed record PostgresStoreOptions
{
    /// <summary>
    /// How to reach the server, in Npgsql's words; <c>Maximum Pool Size</c> bounds the connections (100 by default). The server must be the
    /// one that accepts writes, and must not confirm commits before they are durable (<c>synchronous_commit</c> as by default).
    /// </summary>
    [Required]
    public required string ConnectionString { get; init; }

    /// <summary>
    /// The table, made when it does not exist, in the first schema of the search path; <c>geo_entries</c> by default. Lower-case
    /// letters, digits and underscores, at most 40. Each store has a table of its own.
    /// </summary>
    [Required]
    [RegularExpression("[a-z_][a-z0-9_]{0,39}")]
    public string Table { get; init; } = "geo_entries";

    /// <summary>
    /// How long an operation may take, its wait for a connection included, before its outcome is unknown; 30 s by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The largest value accepted, in bytes; 16 MiB by default.</summary>
    [Range(1, 512 * 1024 * 1024)]
    public int MaxValueBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>
    /// The most operations at the same time, those that wait for a connection included; 10,000 by default. One more is unknown at once,
    /// certainly without effect.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxOperations { get; init; } = 10_000;

    // A password is in the connection string.
    /// <inheritdoc/>
    public override string ToString() => $"PostgreSQL table '{Table}'";

    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    internal void Validate()
    {
        const string what = "The options of the PostgreSQL store";
        OptionsCheck.Check(what, [this]);
        try
        {
            _ = new NpgsqlConnectionStringBuilder(ConnectionString);
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            throw OptionsCheck.Wrong(what, $"the connection string cannot be read: {e.Message}", e);
        }
    }
}
