namespace Geo.Storage.Sqlite;

/// <summary>Group commit: the writes and deletes of a batch go to the disk in one transaction, and are answered when it is there.</summary>
internal sealed class WriteStatements(SqliteConnection connection) : IBatch<WriteOperation>
{
    // Immediate: the versions compared are the present ones, and no other process changes them before the commit.
    private readonly SqliteStatement _begin = connection.Prepare("BEGIN IMMEDIATE");
    private readonly SqliteStatement _commit = connection.Prepare("COMMIT");
    private readonly SqliteStatement _lastVersion = connection.Prepare("SELECT last_version FROM counter");
    private readonly SqliteStatement _setLastVersion = connection.Prepare("UPDATE counter SET last_version = ?1");
    private readonly SqliteStatement _insert = connection.Prepare(
        "INSERT INTO entries (key, value, version) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING");

    private readonly SqliteStatement _update = connection.Prepare(
        "UPDATE entries SET value = ?2, version = ?3 WHERE key = ?1 AND version = ?4");

    private readonly SqliteStatement _delete = connection.Prepare("DELETE FROM entries WHERE key = ?1 AND version = ?2");

    public void Run(IReadOnlyList<WriteOperation> operations)
    {
        _begin.Run();
        try
        {
            var first = LastVersion();
            var last = first;
            foreach (var operation in operations)
            {
                operation.Outcome = Apply(operation, ref last);
            }

            if (last != first)
            {
                _setLastVersion.Bind(1, last).Run();
            }

            _commit.Run();
        }
        catch
        {
            connection.RollBack();
            throw;
        }

        // A conflict, too, is told after the commit only: it may stem from an earlier write of the same batch.
        foreach (var operation in operations)
        {
            operation.End(operation.Outcome);
        }
    }

    public void Dispose()
    {
        foreach (var statement in new[] { _begin, _commit, _lastVersion, _setLastVersion, _insert, _update, _delete })
        {
            statement.Dispose();
        }

        connection.Dispose();
    }

    private StoreWrite Apply(WriteOperation operation, ref long last)
    {
        if (operation.Value is null)
        {
            _delete.Bind(1, operation.Key).Bind(2, operation.Expected!.Value).Run();
            return connection.Changes == 1 ? StoreWrite.Deleted : StoreWrite.Conflict;
        }

        if (operation.Expected is { } expected)
        {
            _update.Bind(1, operation.Key).Bind(2, operation.Value).Bind(3, last + 1).Bind(4, expected).Run();
        }
        else
        {
            _insert.Bind(1, operation.Key).Bind(2, operation.Value).Bind(3, last + 1).Run();
        }

        return connection.Changes == 1 ? StoreWrite.Applied(Versions.ToETag(++last)) : StoreWrite.Conflict;
    }

    private long LastVersion()
    {
        try
        {
            return _lastVersion.Step()
                ? _lastVersion.Number(0)
                : throw new SqliteFailure(SQLitePCL.raw.SQLITE_CORRUPT, "the counter is empty");
        }
        finally
        {
            _lastVersion.Reset();
        }
    }
}
