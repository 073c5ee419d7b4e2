namespace Geo.Testing.Tests;

/// <summary>Writes whatever version it is asked to replace: a compare-and-swap without the compare.</summary>
internal sealed class CarelessStore(IConditionalStore inner) : IConditionalStore
{
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        await inner.WriteAsync(key, value, (await inner.ReadAsync(key, cancellationToken)).ETag, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);
}
