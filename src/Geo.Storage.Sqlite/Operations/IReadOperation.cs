namespace Geo.Storage.Sqlite;

/// <summary>An operation that only reads.</summary>
internal interface IReadOperation : IOperation
{
    /// <summary>Reads within a transaction, and keeps what was read.</summary>
    void Read(ReadStatements statements);

    /// <summary>Gives the caller what was read.</summary>
    void Complete();
}
