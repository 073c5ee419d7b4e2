namespace Geo.Storage.Sqlite.Tests;

/// <summary>Looks at and changes a file past the store.</summary>
internal static class Sqlite3
{
    public static Task<string> IntegrityAsync(string path) => Task.Run(() =>
    {
        using var connection = Open(path);
        return connection.ReadText("PRAGMA integrity_check");
    });

    public static SqliteConnection Open(string path) =>
        SqliteConnection.Open(new SqliteStoreOptions { Path = path, BusyTimeout = TimeSpan.FromSeconds(20) }, create: true);
}
