namespace Geo.Tool.Tests.Kit;

/// <summary>A store whose reads take a time.</summary>
internal sealed class SlowStore(TimeSpan delay) : IConditionalStore
{
    private readonly InMemoryConditionalStore _inner = new();

    public TimeSpan Delay { get; set; } = delay;

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        await Task.Delay(Delay, cancellationToken);
        return await _inner.ReadAsync(key, cancellationToken);
    }

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        _inner.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        _inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        _inner.ListAsync(prefix, cancellationToken);
}
