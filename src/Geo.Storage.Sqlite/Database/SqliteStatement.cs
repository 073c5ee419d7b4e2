using SQLitePCL;

namespace Geo.Storage.Sqlite;

/// <summary>A prepared statement.</summary>
internal sealed class SqliteStatement(SqliteConnection connection, sqlite3_stmt handle) : IDisposable
{
    public SqliteStatement Bind(int index, long value)
    {
        connection.Check(raw.sqlite3_bind_int64(handle, index, value));
        return this;
    }

    public SqliteStatement Bind(int index, ReadOnlySpan<byte> value)
    {
        // An empty span has no address, which SQLite would take for NULL.
        connection.Check(value.IsEmpty
            ? raw.sqlite3_bind_zeroblob(handle, index, 0)
            : raw.sqlite3_bind_blob(handle, index, value));
        return this;
    }

    /// <summary>Goes to the next row; false at the end.</summary>
    public bool Step()
    {
        var result = raw.sqlite3_step(handle);
        connection.Check(result);
        return result == raw.SQLITE_ROW;
    }

    /// <summary>Runs a statement that gives no row.</summary>
    public void Run()
    {
        try
        {
            Step();
        }
        finally
        {
            Reset();
        }
    }

    /// <summary>Makes the statement ready for its next run. What went wrong in the last one was reported by it.</summary>
    public void Reset() => raw.sqlite3_reset(handle);

    public long Number(int column) => raw.sqlite3_column_int64(handle, column);

    public string Text(int column) => raw.sqlite3_column_text(handle, column).utf8_to_string();

    public ReadOnlySpan<byte> Bytes(int column) => raw.sqlite3_column_blob(handle, column);

    public void Dispose() => raw.sqlite3_finalize(handle);
}
