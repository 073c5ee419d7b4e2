namespace Geo.Storage.Sqlite;

/// <summary>A read of one key.</summary>
/// <param name="key">The key in UTF-8.</param>
internal sealed class ReadOperation(byte[] key) : Operation<StoreRead>, IReadOperation
{
    private StoreRead _outcome;

    public void Read(ReadStatements statements) => _outcome = statements.Find(key);

    public void Complete() => End(_outcome);

    public override void Fail(string reason) => End(StoreRead.Unknown(reason));
}
