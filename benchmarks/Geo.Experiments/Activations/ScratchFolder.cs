using Geo.Storage.Sqlite;

namespace Geo.Experiments.Activations;

/// <summary>A folder for the store of one run.</summary>
internal sealed class ScratchFolder : IDisposable
{
    private readonly string _path = System.IO.Directory.CreateTempSubdirectory("geo-activations-").FullName;

    public SqliteStoreOptions Store => new() { Path = Path.Combine(_path, "rows.db"), Durability = SqliteDurability.Normal };

    public void Dispose() => System.IO.Directory.Delete(_path, recursive: true);
}
