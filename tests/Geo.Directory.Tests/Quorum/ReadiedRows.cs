namespace Geo.Directory.Tests.Quorum;

/// <summary>Notes which rows are read to be written: in a store by majority that stands in the way of whoever else writes them.</summary>
internal sealed class ReadiedRows(IConditionalStore inner, List<string> readied) : IConditionalStore, IWritePreparation
{
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(key, cancellationToken);

    public ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default)
    {
        readied.Add(key);
        return inner.ReadAsync(key, cancellationToken);
    }

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);
}
