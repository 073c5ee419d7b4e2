using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>The row of one grain in a conditional store: operations that end in bounded time, with an outcome.</summary>
internal sealed class StoredRow(IConditionalStore store, string key, TimeSpan timeout, TimeProvider time, ILogger logger)
{
    internal string Key => key;

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal async Task<StoreRead> ReadAsync(CancellationToken stopping)
    {
        ConsistencyMetrics.StorageReads.Add(1);
        using var limit = new CancellationTokenSource(timeout, time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            return await store.ReadAsync(key, limit.Token);
        }
        catch (OperationCanceledException)
        {
            return StoreRead.Unknown(NoAnswer);
        }
        catch (Exception e) when (e is not GeoStorageException)
        {
            ViewLog.StoreThrew(logger, e, key);
            return StoreRead.Unknown(e.Message);
        }
    }

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal async Task<StoreWrite> WriteAsync(ReadOnlyMemory<byte> value, ETag? expected, CancellationToken stopping)
    {
        ConsistencyMetrics.StorageWrites.Add(1);
        using var limit = new CancellationTokenSource(timeout, time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            return await store.WriteAsync(key, value, expected, limit.Token);
        }
        catch (OperationCanceledException)
        {
            return StoreWrite.Unknown(NoAnswer);
        }
        catch (Exception e) when (e is not GeoStorageException)
        {
            // Against the store's contract; whatever it did, the stamp will tell.
            ViewLog.StoreThrew(logger, e, key);
            return StoreWrite.Unknown(e.Message);
        }
    }

    private string NoAnswer => $"no answer within {timeout}";
}
