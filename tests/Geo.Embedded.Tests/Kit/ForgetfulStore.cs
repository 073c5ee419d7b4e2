namespace Geo.Embedded.Tests;

/// <summary>A store in memory that can be emptied, to weigh what remains.</summary>
internal sealed class ForgetfulStore : IConditionalStore
{
    private InMemoryConditionalStore _rows = new();

    public void Forget() => _rows = new();

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        _rows.ReadAsync(key, cancellationToken);

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        _rows.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        _rows.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        _rows.ListAsync(prefix, cancellationToken);
}
