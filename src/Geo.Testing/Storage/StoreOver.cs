namespace Geo.Testing;

/// <summary>A store over another one, which does what it is asked unless one that derives from it says otherwise.</summary>
internal abstract class StoreOver(IConditionalStore inner) : IConditionalStore
{
    protected virtual IConditionalStore Inner { get; set; } = inner;

    public virtual ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        Inner.ReadAsync(key, cancellationToken);

    public virtual ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        Inner.WriteAsync(key, value, expected, cancellationToken);

    public virtual ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Inner.DeleteAsync(key, expected, cancellationToken);

    public virtual IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        Inner.ListAsync(prefix, cancellationToken);
}
