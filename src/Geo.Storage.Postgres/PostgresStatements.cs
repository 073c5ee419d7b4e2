namespace Geo.Storage.Postgres;

/// <summary>
/// The statements on a table. A row is found by its key's SHA-256, because an index takes no key of 4 KiB, and listed by the first
/// <see cref="Indexed"/> bytes of its key. Versions come from one sequence, so that a key that was deleted never has an old one again.
/// </summary>
internal sealed class PostgresStatements(string table)
{
    /// <summary>The most entries in one page of a list.</summary>
    public const int PageEntries = 256;

    private const int PageBytes = 4 * 1024 * 1024;
    private const int Indexed = 2000;

    /// <summary>Written on the table: what it is, and in which form.</summary>
    public const string Mark = "Geo conditional store, form 1";

    /// <summary>One process after the other makes tables.</summary>
    public string Lock { get; } = $"SELECT pg_advisory_xact_lock(hashtext('geo store {table}'))";

    /// <summary>The mark of the table; null where there is no table, empty where it has none.</summary>
    public string FindMark { get; } =
        $"SELECT coalesce(obj_description(found, 'pg_class'), '') FROM to_regclass('{table}') AS found WHERE found IS NOT NULL";

    public string Create { get; } =
        $"""
        CREATE SEQUENCE {table}_version;
        CREATE TABLE {table} (hash bytea PRIMARY KEY, key bytea NOT NULL, value bytea NOT NULL, version bigint NOT NULL);
        CREATE INDEX {table}_by_key ON {table} (substring(key FROM 1 FOR {Indexed}));
        COMMENT ON TABLE {table} IS '{Mark}';
        """;

    public string Read { get; } = $"SELECT value, version FROM {table} WHERE hash = $1";

    public string Insert { get; } =
        $"INSERT INTO {table} (hash, key, value, version) VALUES ($1, $2, $3, nextval('{table}_version')) "
        + "ON CONFLICT (hash) DO NOTHING RETURNING version";

    public string Update { get; } =
        $"UPDATE {table} SET value = $2, version = nextval('{table}_version') WHERE hash = $1 AND version = $3 RETURNING version";

    public string Delete { get; } = $"DELETE FROM {table} WHERE hash = $1 AND version = $2 RETURNING version";

    /// <summary>Entries from $1 to before $2, but for $1 itself where $3; as many as fit into a page.</summary>
    public string Page { get; } =
        $"""
        SELECT key, value, version FROM (
          SELECT key, value, version, start, sum(octet_length(value)) OVER (ORDER BY start, key) - octet_length(value) AS bytes_before
          FROM (
            SELECT key, value, version, substring(key FROM 1 FOR {Indexed}) AS start FROM {table}
            WHERE substring(key FROM 1 FOR {Indexed}) >= substring($1 FROM 1 FOR {Indexed})
              AND substring(key FROM 1 FOR {Indexed}) <= substring($2 FROM 1 FOR {Indexed})
              AND key >= $1 AND key < $2 AND NOT ($3 AND key = $1)
            ORDER BY start, key LIMIT {PageEntries}) AS found) AS page
        WHERE bytes_before < {PageBytes} ORDER BY start, key
        """;
}
