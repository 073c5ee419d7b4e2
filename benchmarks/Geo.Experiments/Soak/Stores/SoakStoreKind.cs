namespace Geo.Experiments.Soak.Stores;

/// <summary>What keeps the books.</summary>
internal enum SoakStoreKind
{
    /// <summary>A process with an SQLite file.</summary>
    Sqlite,

    /// <summary>A PostgreSQL server.</summary>
    Postgres,
}
