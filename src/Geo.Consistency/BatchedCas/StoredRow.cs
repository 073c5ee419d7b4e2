using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// The row of one grain in a conditional store: operations that end in bounded time, with an outcome, even where the store ends none and
/// ignores its token. An operation that is not waited for any more is left to itself; while too many of them have not ended, none is begun.
/// </summary>
internal sealed class StoredRow(
    IConditionalStore store, string key, TimeSpan timeout, AbandonedOperations abandoned, TimeProvider time, ILogger logger)
{
    private const ConfigureAwaitOptions Quietly = ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing;

    internal string Key => key;

    private string NoAnswer => $"no answer within {timeout}";

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal Task<StoreRead> ReadAsync(CancellationToken stopping)
    {
        ConsistencyMetrics.StorageReads.Add(1);
        return WithinAsync(token => store.ReadAsync(key, token), StoreRead.Unknown, stopping);
    }

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal Task<StoreWrite> WriteAsync(ReadOnlyMemory<byte> value, ETag? expected, CancellationToken stopping)
    {
        ConsistencyMetrics.StorageWrites.Add(1);
        return WithinAsync(token => store.WriteAsync(key, value, expected, token), StoreWrite.Unknown, stopping);
    }

    private async Task<T> WithinAsync<T>(Func<CancellationToken, ValueTask<T>> begin, Func<string, T> unknown, CancellationToken stopping)
    {
        if (!abandoned.MayBegin())
        {
            return unknown($"{abandoned.Most} operations that the store did not answer have not ended yet (option MaxAbandonedOperations)");
        }

        using var limit = new CancellationTokenSource(timeout, time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            var operation = begin(limit.Token);
            if (operation.IsCompleted)
            {
                abandoned.Ended();
                return await operation;
            }

            var task = operation.AsTask();
            await Patience.EndAsync(task).WaitAsync(limit.Token).ConfigureAwait(Quietly);
            if (task.IsCompleted)
            {
                abandoned.Ended();
                return await task;
            }

            _ = AbandonAsync(task);
            return unknown(NoAnswer);
        }
        catch (OperationCanceledException)
        {
            return unknown(NoAnswer);
        }
        catch (Exception e) when (e is not GeoStorageException)
        {
            // Against the store's contract; whatever a write did, the stamp will tell.
            ViewLog.StoreThrew(logger, e, key);
            return unknown(e.Message);
        }
    }

    private async Task AbandonAsync(Task operation)
    {
        ConsistencyMetrics.OperationsAbandoned.Add(1);
        await abandoned.AddAsync(operation);
        if (operation.Exception is { InnerException: not OperationCanceledException } failure)
        {
            ViewLog.StoreThrew(logger, failure, key);
        }
    }
}
