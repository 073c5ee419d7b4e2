using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// The row of one grain in a conditional store: operations that end in bounded time, with an outcome, even where the store ends none and
/// ignores its token. An operation that is not waited for any more is left to itself; while too many of them have not ended, none is begun.
/// </summary>
internal abstract class StoredRow(IConditionalStore store)
{
    private const ConfigureAwaitOptions Quietly = ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing;

    internal abstract string Key { get; }

    /// <summary>How long one operation may take.</summary>
    protected abstract TimeSpan Timeout { get; }

    protected abstract TimeProvider Time { get; }

    protected abstract ILogger Logger { get; }

    /// <summary>The operations that are left to themselves; null before the first.</summary>
    protected abstract AbandonedOperations? Abandoned { get; }

    private string NoAnswer => $"no answer within {Timeout}";

    /// <param name="stopping">Ends the wait.</param>
    /// <param name="isToWrite">True where a write is likely to follow, and to be the next one of the row.</param>
    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal Task<StoreRead> ReadAsync(CancellationToken stopping, bool isToWrite = false)
    {
        ConsistencyMetrics.StorageReads.Add(1);
        return WithinAsync(
            token => isToWrite && store is IWritePreparation preparing
                ? preparing.ReadToWriteAsync(Key, token) : store.ReadAsync(Key, token),
            StoreRead.Unknown, stopping);
    }

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal Task<StoreWrite> WriteAsync(ReadOnlyMemory<byte> value, ETag? expected, CancellationToken stopping)
    {
        ConsistencyMetrics.StorageWrites.Add(1);
        return WithinAsync(token => store.WriteAsync(Key, value, expected, token), StoreWrite.Unknown, stopping);
    }

    /// <summary>The operations that are left to themselves, of which there is one now.</summary>
    protected abstract AbandonedOperations BeginAbandoned();

    private async Task<T> WithinAsync<T>(Func<CancellationToken, ValueTask<T>> begin, Func<string, T> unknown, CancellationToken stopping)
    {
        if (Abandoned is { } abandoned && !abandoned.MayBegin())
        {
            return unknown($"{abandoned.Most} operations that the store did not answer have not ended yet (option MaxAbandonedOperations)");
        }

        using var limit = new CancellationTokenSource(Timeout, Time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            var operation = begin(limit.Token);
            if (operation.IsCompleted)
            {
                Abandoned?.Ended();
                return await operation;
            }

            var task = operation.AsTask();
            await Patience.EndAsync(task).WaitAsync(limit.Token).ConfigureAwait(Quietly);
            if (task.IsCompleted)
            {
                Abandoned?.Ended();
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
            ViewLog.StoreThrew(Logger, e, Key);
            return unknown(e.Message);
        }
    }

    private async Task AbandonAsync(Task operation)
    {
        ConsistencyMetrics.OperationsAbandoned.Add(1);
        await BeginAbandoned().AddAsync(operation);
        if (operation.Exception is { InnerException: not OperationCanceledException } failure)
        {
            ViewLog.StoreThrew(Logger, failure, Key);
        }
    }
}
