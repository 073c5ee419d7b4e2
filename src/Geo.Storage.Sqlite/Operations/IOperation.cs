namespace Geo.Storage.Sqlite;

/// <summary>What a thread needs of an operation that it takes from a queue.</summary>
internal interface IOperation
{
    /// <summary>Claims the operation; false when its caller has given up before.</summary>
    bool TryBegin();

    /// <summary>Ends the operation without knowing its outcome.</summary>
    void Fail(string reason);
}
