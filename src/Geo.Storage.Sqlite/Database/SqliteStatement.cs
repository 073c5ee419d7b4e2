using SQLitePCL;

namespace Geo.Storage.Sqlite;

/// <summary>A prepared statement.</summary>
internal sealed class SqliteStatement : IDisposable
{
    private readonly SqliteConnection _connection;
    private readonly sqlite3_stmt _handle;
    private readonly Func<int> _step;

    public SqliteStatement(SqliteConnection connection, sqlite3_stmt handle)
    {
        (_connection, _handle) = (connection, handle);
        _step = () =>
        {
            var result = raw.sqlite3_step(_handle);
            if (result == raw.SQLITE_BUSY)
            {
                raw.sqlite3_reset(_handle);
            }

            return result;
        };
    }

    public SqliteStatement Bind(int index, long value)
    {
        _connection.Check(raw.sqlite3_bind_int64(_handle, index, value));
        return this;
    }

    public SqliteStatement Bind(int index, ReadOnlySpan<byte> value)
    {
        // An empty span has no address, which SQLite would take for NULL.
        _connection.Check(value.IsEmpty
            ? raw.sqlite3_bind_zeroblob(_handle, index, 0)
            : raw.sqlite3_bind_blob(_handle, index, value));
        return this;
    }

    /// <summary>Goes to the next row; false at the end.</summary>
    public bool Step()
    {
        var result = _connection.WhileBusy(_step);
        _connection.Check(result);
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
    public void Reset() => raw.sqlite3_reset(_handle);

    public long Number(int column) => raw.sqlite3_column_int64(_handle, column);

    public string Text(int column) => raw.sqlite3_column_text(_handle, column).utf8_to_string();

    public ReadOnlySpan<byte> Bytes(int column) => raw.sqlite3_column_blob(_handle, column);

    public void Dispose() => raw.sqlite3_finalize(_handle);
}
