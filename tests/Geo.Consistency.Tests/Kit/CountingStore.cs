namespace Geo.Consistency.Tests.Kit;

/// <summary>Counts reads, writes, and the writes that lose.</summary>
internal sealed class CountingStore(IConditionalStore inner) : IConditionalStore
{
    public int Writes { get; private set; }

    public int Conflicts { get; private set; }

    public int Reads { get; private set; }

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        Reads++;
        return inner.ReadAsync(key, cancellationToken);
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var written = await inner.WriteAsync(key, value, expected, cancellationToken);
        Writes++;
        Conflicts += written.Outcome == StoreWriteOutcome.Conflict ? 1 : 0;
        return written;
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);
}
