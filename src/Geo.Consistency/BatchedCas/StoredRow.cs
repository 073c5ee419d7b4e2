namespace Geo.Consistency;

/// <summary>
/// The row of one grain in a conditional store: operations that end in bounded time, with an outcome, even where the store ends none and
/// ignores its token. An operation that is not waited for any more is left to itself; while too many of them have not ended, none is begun.
/// </summary>
internal sealed class StoredRow<TState, TUpdate>(IConditionalStore store, ViewStates<TState, TUpdate> view)
{
    private const ConfigureAwaitOptions Quietly = ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing;

    // Null before the first.
    private AbandonedOperations? _abandoned;

    internal string Key => VersionedViews.StoreKeyPrefix + view.Key;

    private BatchedCasOptions Options => view.Services.BatchedCas;

    private string NoAnswer => $"no answer within {Options.StorageTimeout}";

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal Task<StoreRead> ReadAsync(CancellationToken stopping)
    {
        ConsistencyMetrics.StorageReads.Add(1);
        return WithinAsync(token => store.ReadAsync(Key, token), StoreRead.Unknown, stopping);
    }

    /// <exception cref="GeoStorageException">The store refuses for good.</exception>
    internal Task<StoreWrite> WriteAsync(ReadOnlyMemory<byte> value, ETag? expected, CancellationToken stopping)
    {
        ConsistencyMetrics.StorageWrites.Add(1);
        return WithinAsync(token => store.WriteAsync(Key, value, expected, token), StoreWrite.Unknown, stopping);
    }

    private async Task<T> WithinAsync<T>(Func<CancellationToken, ValueTask<T>> begin, Func<string, T> unknown, CancellationToken stopping)
    {
        if (_abandoned?.MayBegin() == false)
        {
            return unknown(
                $"{Options.MaxAbandonedOperations} operations that the store did not answer have not ended yet (option "
                + "MaxAbandonedOperations)");
        }

        using var limit = new CancellationTokenSource(Options.StorageTimeout, view.Services.Time);
        using var stop = stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            var operation = begin(limit.Token);
            if (operation.IsCompleted)
            {
                _abandoned?.Ended();
                return await operation;
            }

            var task = operation.AsTask();
            await Patience.EndAsync(task).WaitAsync(limit.Token).ConfigureAwait(Quietly);
            if (task.IsCompleted)
            {
                _abandoned?.Ended();
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
            ViewLog.StoreThrew(view.Logger, e, Key);
            return unknown(e.Message);
        }
    }

    private async Task AbandonAsync(Task operation)
    {
        ConsistencyMetrics.OperationsAbandoned.Add(1);
        await (_abandoned ??= new(Options.MaxAbandonedOperations, view.Services.Time)).AddAsync(operation);
        if (operation.Exception is { InnerException: not OperationCanceledException } failure)
        {
            ViewLog.StoreThrew(view.Logger, failure, Key);
        }
    }
}
