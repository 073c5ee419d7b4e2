using SQLitePCL;

namespace Geo.Storage.Sqlite;

/// <summary>A call of SQLite that failed; never leaves this package.</summary>
internal sealed class SqliteFailure(int code, string message) : Exception(message)
{
    private const int PrimaryCode = 0xff;

    public int Code { get; } = code & PrimaryCode;

    /// <summary>Another connection holds the file: the same may work later.</summary>
    public bool IsBusy => Code is raw.SQLITE_BUSY or raw.SQLITE_LOCKED;
}
