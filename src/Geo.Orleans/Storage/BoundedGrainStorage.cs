using System.Globalization;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>
/// A grain storage of which every operation ends within the time-out. One that is not waited for any more is left to itself and counted;
/// while too many of them have not ended, none is begun.
/// </summary>
internal sealed class BoundedGrainStorage(string name, IGrainStorage storage, GrainStorageStoreOptions options, TimeProvider time)
{
    private const string StateName = "geo";

    private readonly AbandonedOperations _abandoned = new(options.MaxAbandonedOperations, time);

    /// <exception cref="GeoUnavailableException">It did not end in time, or was not begun.</exception>
    /// <exception cref="OperationCanceledException">The token was set.</exception>
    public Task ReadAsync(string key, GrainState<StoredValue> state, CancellationToken cancellationToken) =>
        EndAsync(() => storage.ReadStateAsync(StateName, GrainStorageKeys.ToGrainId(key), state), cancellationToken);

    /// <exception cref="GeoUnavailableException">It did not end in time, or was not begun.</exception>
    /// <exception cref="OperationCanceledException">The token was set; the write goes on.</exception>
    public Task WriteAsync(string key, GrainState<StoredValue> state, CancellationToken cancellationToken) =>
        EndAsync(() => storage.WriteStateAsync(StateName, GrainStorageKeys.ToGrainId(key), state), cancellationToken);

    private async Task EndAsync(Func<Task> begin, CancellationToken cancellationToken)
    {
        if (!_abandoned.MayBegin())
        {
            OrleansMetrics.StorageRefusals.Add(1, new KeyValuePair<string, object?>("storage", name));
            throw new GeoUnavailableException(
                $"{options.MaxAbandonedOperations} operations of grain storage '{name}' have not ended yet (MaxAbandonedOperations)");
        }

        var operation = begin();
        if (await operation.EndsWithinAsync(options.Timeout, time, cancellationToken))
        {
            _abandoned.Ended();
            await operation;
            return;
        }

        _ = _abandoned.AddAsync(operation);
        cancellationToken.ThrowIfCancellationRequested();
        OrleansMetrics.StorageBoundsHit.Add(1, new KeyValuePair<string, object?>("storage", name));
        throw new GeoUnavailableException(
            string.Create(CultureInfo.InvariantCulture, $"grain storage '{name}' did not answer within {options.Timeout}"));
    }
}
