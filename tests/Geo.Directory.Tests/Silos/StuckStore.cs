namespace Geo.Directory.Tests.Silos;

/// <summary>A store of which some operations never end, as of a client whose connection fell silent.</summary>
internal sealed class StuckStore(IConditionalStore store) : IConditionalStore
{
    public bool IsStuck { get; set; }

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        await NeverAsync();
        return await store.ReadAsync(key, cancellationToken);
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        await NeverAsync();
        return await store.WriteAsync(key, value, expected, cancellationToken);
    }

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        await NeverAsync();
        return await store.DeleteAsync(key, expected, cancellationToken);
    }

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        store.ListAsync(prefix, cancellationToken);

    private Task NeverAsync() => IsStuck ? new TaskCompletionSource().Task : Task.CompletedTask;
}
