namespace Geo.Testing;

/// <summary>Tells of every key that a write or delete has changed, at the very moment.</summary>
internal sealed class WatchedStore(IConditionalStore inner, Action<string> changed) : IConditionalStore
{
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        Told(key, await inner.WriteAsync(key, value, expected, cancellationToken));

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Told(key, await inner.DeleteAsync(key, expected, cancellationToken));

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);

    private StoreWrite Told(string key, StoreWrite write)
    {
        if (write.Outcome == StoreWriteOutcome.Applied)
        {
            changed(key);
        }

        return write;
    }
}
