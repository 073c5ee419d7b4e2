namespace Geo.Directory.Tests.Silos;

/// <summary>A store of which nothing is ever known.</summary>
internal sealed class UnansweringStore : IConditionalStore
{
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        new(StoreRead.Unknown("it is away"));

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        new(StoreWrite.Unknown("it is away"));

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        new(StoreWrite.Unknown("it is away"));

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        throw new GeoUnavailableException("The store is away.");
}
