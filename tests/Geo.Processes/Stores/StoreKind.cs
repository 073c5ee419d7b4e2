namespace Geo.Processes.Stores;

/// <summary>What keeps the storage account's values.</summary>
public enum StoreKind
{
    /// <summary>The account process's memory.</summary>
    Memory,

    /// <summary>A SQLite file.</summary>
    Sqlite,
}
