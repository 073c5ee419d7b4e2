namespace Geo.Embedded.Tests;

internal sealed class DisposableStore : IConditionalStore, IDisposable
{
    private readonly InMemoryConditionalStore _inner = new();

    public bool IsDisposed { get; private set; }

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        _inner.ReadAsync(key, cancellationToken);

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        _inner.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        _inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        _inner.ListAsync(prefix, cancellationToken);

    public void Dispose() => IsDisposed = true;
}
