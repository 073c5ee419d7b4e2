namespace Geo.Storage.Sqlite.Tests;

/// <summary>A directory for one test's files, and the stores opened in it.</summary>
internal sealed class StoreFile : IAsyncDisposable
{
    private readonly List<SqliteConditionalStore> _opened = [];

    public StoreFile()
    {
        Directory = System.IO.Directory.CreateTempSubdirectory("geo-sqlite-").FullName;
        Path = System.IO.Path.Combine(Directory, "store.db");
    }

    public string Directory { get; }

    public string Path { get; }

    public async ValueTask<SqliteConditionalStore> OpenAsync(Func<SqliteStoreOptions, SqliteStoreOptions>? configure = null)
    {
        var options = new SqliteStoreOptions { Path = Path, BusyTimeout = TimeSpan.FromSeconds(20) };
        var store = await SqliteConditionalStore.OpenAsync(configure?.Invoke(options) ?? options, TestContext.Current.CancellationToken);
        _opened.Add(store);
        return store;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var store in _opened)
        {
            await store.DisposeAsync();
        }

        System.IO.Directory.Delete(Directory, recursive: true);
    }
}
