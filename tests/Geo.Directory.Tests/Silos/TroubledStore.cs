namespace Geo.Directory.Tests.Silos;

/// <summary>A store with one trouble of the test's choice.</summary>
internal sealed class TroubledStore(IConditionalStore inner) : IConditionalStore
{
    /// <summary>What happens just before each write.</summary>
    public Func<Task> BeforeWrite { get; init; } = () => Task.CompletedTask;

    /// <summary>The rows that cannot be read.</summary>
    public Func<string, bool> HasLost { get; init; } = _ => false;

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        HasLost(key) ? new(StoreRead.Unknown("the test says so")) : inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        await BeforeWrite();
        return await inner.WriteAsync(key, value, expected, cancellationToken);
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);
}
