namespace Geo.Directory.Tests.Silos;

/// <summary>A store that writes some rows whatever version they have.</summary>
internal sealed class UncomparedStore(IConditionalStore inner, Func<ReadOnlyMemory<byte>, bool> isUncompared) : IConditionalStore
{
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        await inner.WriteAsync(
            key, value, isUncompared(value) ? (await inner.ReadAsync(key, cancellationToken)).ETag : expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);
}
