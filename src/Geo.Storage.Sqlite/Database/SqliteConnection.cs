using System.Diagnostics;
using SQLitePCL;

namespace Geo.Storage.Sqlite;

/// <summary>One connection to the file, used by one thread at a time.</summary>
/// <remarks>
/// A binding of its own, and not Microsoft.Data.Sqlite: the same store on that (10.0.14; values of 200 bytes, durability Normal, nine runs
/// of each in turn, medians of the ratios) takes 1.6 times as long for a read and 1.1 for a write with 64 callers, 1.3 and 1.2 times the
/// processor time, and 1.3 and 1.0 times as long with one caller; it allocates 1,254 bytes a read instead of 767 and 1,372 a write instead
/// of 768. It also waits for another process's lock in steps of 150 ms, for a number of whole seconds.
/// </remarks>
internal sealed class SqliteConnection : IDisposable
{
    private readonly sqlite3 _handle;
    private readonly TimeSpan _busyTimeout;

    static SqliteConnection() => Batteries_V2.Init();

    public SqliteConnection(sqlite3 handle, TimeSpan busyTimeout) => (_handle, _busyTimeout) = (handle, busyTimeout);

    /// <summary>How many rows the last statement inserted, changed or deleted.</summary>
    public int Changes => raw.sqlite3_changes(_handle);

    /// <summary>SQLite opens a file that it may not write without complaint.</summary>
    public bool IsReadOnly => raw.sqlite3_db_readonly(_handle, "main") == 1;

    /// <summary>Opens the file and waits for other processes as long as the options say.</summary>
    public static SqliteConnection Open(SqliteStoreOptions options, bool create)
    {
        var flags = raw.SQLITE_OPEN_READWRITE | raw.SQLITE_OPEN_NOMUTEX | (create ? raw.SQLITE_OPEN_CREATE : 0);
        var result = raw.sqlite3_open_v2(options.Path, out var handle, flags, null);
        var connection = new SqliteConnection(handle, options.BusyTimeout);
        try
        {
            connection.Check(result);
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    public void Execute(string sql) => Check(WhileBusy(() => raw.sqlite3_exec(_handle, sql)));

    public SqliteStatement Prepare(string sql)
    {
        sqlite3_stmt? statement = null;
        Check(WhileBusy(() => raw.sqlite3_prepare_v2(_handle, sql, out statement)));
        return new SqliteStatement(this, statement!);
    }

    public long ReadNumber(string sql)
    {
        using var statement = Prepare(sql);
        return statement.Step() ? statement.Number(0) : throw new SqliteFailure(raw.SQLITE_CORRUPT, $"'{sql}' gave no row.");
    }

    public string ReadText(string sql)
    {
        using var statement = Prepare(sql);
        return statement.Step() ? statement.Text(0) : "";
    }

    /// <summary>Runs an action within a transaction, which is rolled back when it throws.</summary>
    public void InTransaction(string begin, Action action)
    {
        Execute(begin);
        try
        {
            action();
            Execute("COMMIT");
        }
        catch
        {
            RollBack();
            throw;
        }
    }

    /// <summary>Ends a transaction that failed; does nothing when SQLite has ended it already.</summary>
    public void RollBack()
    {
        if (raw.sqlite3_get_autocommit(_handle) == 0)
        {
            raw.sqlite3_exec(_handle, "ROLLBACK");
        }
    }

    /// <summary>
    /// Makes a call of SQLite again, within the busy time-out, while another process holds the file. SQLite's own handler may sleep
    /// for whole seconds, depending on how the library was built.
    /// </summary>
    public int WhileBusy(Func<int> call)
    {
        var result = call();
        if (result != raw.SQLITE_BUSY)
        {
            return result;
        }

        var started = Stopwatch.GetTimestamp();
        while (result == raw.SQLITE_BUSY && Stopwatch.GetElapsedTime(started) < _busyTimeout)
        {
            Thread.Sleep(1);
            result = call();
        }

        return result;
    }

    public void Check(int result)
    {
        if (result is not (raw.SQLITE_OK or raw.SQLITE_ROW or raw.SQLITE_DONE))
        {
            throw new SqliteFailure(result, raw.sqlite3_errmsg(_handle).utf8_to_string());
        }
    }

    public void Dispose() => raw.sqlite3_close_v2(_handle);
}
