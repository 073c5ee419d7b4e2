using System.Diagnostics.Metrics;

namespace Geo;

/// <summary>
/// Counts and times the operations of a store by what they were and how they ended. While nobody listens they go straight to the store.
/// </summary>
/// <param name="name">The store's name in its silo.</param>
/// <param name="store">The store.</param>
/// <param name="time">The clock.</param>
internal sealed class MeasuredStore(string name, IConditionalStore store, TimeProvider time)
    : IConditionalStore, IWritePreparation
{
    private static readonly Meter Meter = new("Geo.Storage");

    private static readonly Histogram<double> Duration = Meter.CreateHistogram<double>(
        "geo.storage.duration", "s", "How long reads, writes and deletes of stores took, by store, operation and outcome.");

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        Duration.Enabled
            ? MeasuredAsync(static (store, key, token) => store.ReadAsync(key, token), key, cancellationToken)
            : store.ReadAsync(key, cancellationToken);

    public ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default) =>
        store is not IWritePreparation preparing ? ReadAsync(key, cancellationToken)
            : Duration.Enabled
                ? MeasuredAsync(
                    static (store, key, token) => ((IWritePreparation)store).ReadToWriteAsync(key, token), key, cancellationToken)
                : preparing.ReadToWriteAsync(key, cancellationToken);

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        Duration.Enabled
            ? MeasuredAsync(
                "write", static (store, row, token) => store.WriteAsync(row.Key, row.Value, row.ETag, token), new(key, value, expected),
                cancellationToken)
            : store.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Duration.Enabled
            ? MeasuredAsync(
                "delete", static (store, row, token) => store.DeleteAsync(row.Key, row.ETag!.Value, token), new(key, default, expected),
                cancellationToken)
            : store.DeleteAsync(key, expected, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>Not counted: how long a list takes is up to who reads it.</remarks>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        store.ListAsync(prefix, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>Not counted, as the list from the front.</remarks>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, string? after, CancellationToken cancellationToken = default) =>
        store.ListAsync(prefix, after, cancellationToken);

    private async ValueTask<StoreRead> MeasuredAsync(
        Func<IConditionalStore, string, CancellationToken, ValueTask<StoreRead>> reading, string key, CancellationToken cancellationToken)
    {
        var (began, outcome) = (time.GetTimestamp(), "thrown");
        try
        {
            var read = await reading(store, key, cancellationToken);
            outcome = read.Outcome switch
            {
                StoreReadOutcome.Found => "found",
                StoreReadOutcome.NotFound => "not-found",
                _ => "unknown",
            };
            return read;
        }
        finally
        {
            Record("read", outcome, began);
        }
    }

    private async ValueTask<StoreWrite> MeasuredAsync(
        string operation, Func<IConditionalStore, Row, CancellationToken, ValueTask<StoreWrite>> write, Row row,
        CancellationToken cancellationToken)
    {
        var (began, outcome) = (time.GetTimestamp(), "thrown");
        try
        {
            var written = await write(store, row, cancellationToken);
            outcome = written.Outcome switch
            {
                StoreWriteOutcome.Applied => "applied",
                StoreWriteOutcome.Conflict => "conflict",
                _ => "unknown",
            };
            return written;
        }
        finally
        {
            Record(operation, outcome, began);
        }
    }

    private void Record(string operation, string outcome, long began) => Duration.Record(
        time.GetElapsedTime(began).TotalSeconds,
        new("geo.store", name),
        new("geo.operation", operation),
        new KeyValuePair<string, object?>("geo.outcome", outcome));

    private readonly record struct Row(string Key, ReadOnlyMemory<byte> Value, ETag? ETag);
}
