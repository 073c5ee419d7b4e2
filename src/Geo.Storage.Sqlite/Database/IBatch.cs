namespace Geo.Storage.Sqlite;

/// <summary>Runs operations in one transaction of one connection, which it owns.</summary>
internal interface IBatch<in TOperation> : IDisposable
{
    /// <summary>Runs the operations and gives each its outcome.</summary>
    /// <exception cref="SqliteFailure">The transaction failed, and no operation has its outcome.</exception>
    void Run(IReadOnlyList<TOperation> operations);
}
