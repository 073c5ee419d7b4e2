using SQLitePCL;

namespace Geo.Storage.Sqlite;

/// <summary>What makes a file a Geo store, and how one is made. A file that is something else is left as it is.</summary>
internal static class SqliteSchema
{
    /// <summary>"Geo1" in ASCII: marks the file for tools such as file(1).</summary>
    private const int ApplicationId = 0x47656f31;

    private const int Version = 1;

    // The key is UTF-8 in a blob: compared byte by byte, never folded, cut off at a NUL or normalized. Versions come from one counter of
    // the whole store, so that no etag comes twice, whatever is deleted.
    private const string Tables = """
        CREATE TABLE entries (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE counter (last_version INTEGER NOT NULL);
        INSERT INTO counter (last_version) VALUES (0);
        """;

    /// <summary>Checks the file, and makes it a store if it is new.</summary>
    /// <exception cref="GeoConfigurationException">The file is not a store, or one of another version.</exception>
    public static void Prepare(SqliteConnection connection, string path)
    {
        var exists = false;
        connection.InTransaction("BEGIN", () => exists = IsStore(connection, path));
        if (connection.IsReadOnly)
        {
            throw new SqliteFailure(raw.SQLITE_READONLY, "the file is read-only");
        }

        if (!exists)
        {
            connection.InTransaction("BEGIN IMMEDIATE", () => Create(connection, path));
        }

        // Only now is the file certainly a store, and the mode ours to set.
        SwitchToWriteAheadLog(connection);
    }

    /// <summary>Makes a new file a store, unless another process was faster.</summary>
    private static void Create(SqliteConnection connection, string path)
    {
        if (!IsStore(connection, path))
        {
            connection.Execute(Tables);
            connection.Execute($"PRAGMA application_id={ApplicationId}; PRAGMA user_version={Version};");
        }
    }

    /// <summary>
    /// True when the file is a store, false when it is new. Three reads make one statement about the file only within a transaction:
    /// between two of them another process may make the file a store.
    /// </summary>
    private static bool IsStore(SqliteConnection connection, string path)
    {
        var application = connection.ReadNumber("PRAGMA application_id");
        var version = connection.ReadNumber("PRAGMA user_version");
        if (application == ApplicationId)
        {
            return version == Version
                ? true
                : throw new GeoConfigurationException(
                    $"SQLite store '{path}' has schema version {version}; this version of Geo reads {Version}. "
                    + "Use the version of Geo that wrote it, or another file.");
        }

        return application == 0 && version == 0 && connection.ReadNumber("SELECT count(*) FROM sqlite_master") == 0
            ? false
            : throw new GeoConfigurationException($"SQLite store '{path}' is a database of another application. Name another file.");
    }

    /// <summary>Readers and the writer do not block each other; the mode stays with the file.</summary>
    private static void SwitchToWriteAheadLog(SqliteConnection connection)
    {
        var mode = connection.ReadText("PRAGMA journal_mode=WAL");
        if (mode != "wal")
        {
            throw new SqliteFailure(raw.SQLITE_CANTOPEN, $"the write-ahead log cannot be used there (journal mode '{mode}')");
        }
    }
}
