namespace Geo.Testing.Storage;

/// <summary>
/// A store that counts what it is asked for, so that a test can say what an access costs. Answers are those of the store beneath it.
/// </summary>
/// <remarks>Safe for use by several threads. An operation counts when it is asked for, whatever its outcome is.</remarks>
/// <param name="inner">The store.</param>
/// <param name="isCounted">Whether an operation on a key counts; all count where null. Leases and scans have keys of their own.</param>
public sealed class CountingConditionalStore(IConditionalStore inner, Func<string, bool>? isCounted = null) : IConditionalStore
{
    private long _reads;
    private long _writes;
    private long _conflicts;

    /// <summary>Reads so far; lists are none.</summary>
    public long Reads => Interlocked.Read(ref _reads);

    /// <summary>Writes and deletes so far, those that lost among them.</summary>
    public long Writes => Interlocked.Read(ref _writes);

    /// <summary>Writes and deletes that lost so far.</summary>
    public long Conflicts => Interlocked.Read(ref _conflicts);

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        if (IsCounted(key))
        {
            Interlocked.Increment(ref _reads);
        }

        return inner.ReadAsync(key, cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        IsCounted(key)
            ? CountAsync(inner.WriteAsync(key, value, expected, cancellationToken))
            : inner.WriteAsync(key, value, expected, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        IsCounted(key)
            ? CountAsync(inner.DeleteAsync(key, expected, cancellationToken))
            : inner.DeleteAsync(key, expected, cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);

    private bool IsCounted(string key) => isCounted is null || isCounted(key);

    private async ValueTask<StoreWrite> CountAsync(ValueTask<StoreWrite> change)
    {
        Interlocked.Increment(ref _writes);
        var write = await change;
        if (write.Outcome == StoreWriteOutcome.Conflict)
        {
            Interlocked.Increment(ref _conflicts);
        }

        return write;
    }
}
