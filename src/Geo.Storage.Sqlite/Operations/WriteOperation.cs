namespace Geo.Storage.Sqlite;

/// <summary>A conditional write or delete.</summary>
/// <param name="key">The key in UTF-8.</param>
/// <param name="value">The new value; null to delete.</param>
/// <param name="expected">The version to replace; null when the key must not exist.</param>
internal sealed class WriteOperation(byte[] key, byte[]? value, long? expected) : Operation<StoreWrite>
{
    public byte[] Key { get; } = key;

    public byte[]? Value { get; } = value;

    public long? Expected { get; } = expected;

    /// <summary>What to answer once the transaction is in the file.</summary>
    public StoreWrite Outcome { get; set; }

    public override void Fail(string reason) => End(StoreWrite.Unknown(reason));

    protected override void GiveUp(CancellationToken cancellationToken)
    {
        if (TryBegin())
        {
            EndAsCancelled(cancellationToken);
        }
        else
        {
            Fail("cancelled while it was being written");
        }
    }
}
