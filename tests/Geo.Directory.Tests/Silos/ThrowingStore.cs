namespace Geo.Directory.Tests.Silos;

/// <summary>A store that throws what no store should.</summary>
internal sealed class ThrowingStore(IConditionalStore inner) : IConditionalStore
{
    public bool Throws { get; set; }

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        Inner.ReadAsync(key, cancellationToken);

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        Inner.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        Inner.ListAsync(prefix, cancellationToken);

    private IConditionalStore Inner => Throws ? throw new InvalidOperationException("The store is broken.") : inner;
}
