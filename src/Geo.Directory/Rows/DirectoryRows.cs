namespace Geo.Directory;

/// <summary>
/// The rows of the directory in the cluster's conditional store. Follows up every unknown outcome, by reading, until it is known or the
/// tries are used up. What is written names its round, so that a write of one's own is recognised.
/// </summary>
internal sealed class DirectoryRows(IConditionalStore store, GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics)
{
    public static string KeyOf(GrainKey key) => $"{GlobalDirectory.RowPrefix}{key.Type}/{key.Key}";

    public static GrainKey GrainOf(string rowKey) => GrainKey.Parse(rowKey[GlobalDirectory.RowPrefix.Length..]);

    /// <summary>One try, for the fast path.</summary>
    public ValueTask<StoreRead> ReadOnceAsync(string rowKey, CancellationToken cancellationToken) => store.ReadAsync(rowKey, cancellationToken);

    /// <summary>Lists the rows, of one type of grain or of all.</summary>
    public IAsyncEnumerable<StoreEntry> ListAsync(string? type, CancellationToken cancellationToken) =>
        store.ListAsync(type is null ? GlobalDirectory.RowPrefix : $"{GlobalDirectory.RowPrefix}{type}/", cancellationToken);

    public async ValueTask<RowRead> ReadAsync(string rowKey, CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            var read = await store.ReadAsync(rowKey, cancellationToken);
            if (read.Outcome != StoreReadOutcome.Unknown)
            {
                return new(ToRow(read));
            }

            metrics.StoreOutcomeUnknown();
            if (attempt >= options.StoreAttempts)
            {
                return new(Row.None, read.Reason ?? "the store did not answer");
            }

            await WaitAsync(cancellationToken);
        }
    }

    /// <summary>
    /// Takes a row from one entry to the next by compare-and-swap; <see cref="GsiState.Invalid"/> and <see cref="GsiState.Cached"/>, of
    /// which no row is kept, delete it.
    /// </summary>
    public async ValueTask<RowWrite> ReplaceAsync(string rowKey, Row current, GsiEntry next, CancellationToken cancellationToken)
    {
        var stored = next.State == GsiState.Cached ? GsiEntry.Invalid : next;
        if (stored.State == GsiState.Invalid && current.ETag is null)
        {
            return new(RowWriteOutcome.Applied, new Row(next, null));
        }

        var bytes = stored.State == GsiState.Invalid ? null : stored.Encode();
        string? reason = null;
        for (var attempt = 1; ; attempt++)
        {
            // A first write is tried only once: should two tries land, one of them after the row has come and gone, a round long over
            // would seem to be running. All other tries expect one version, so that at most one of them lands.
            if (attempt == 1 || current.ETag is not null || SwitchedOff.Is(ProtocolRule.FirstWriteIsOnce))
            {
                var write = bytes is null
                    ? await store.DeleteAsync(rowKey, current.ETag!.Value, cancellationToken)
                    : await store.WriteAsync(rowKey, bytes, current.ETag, cancellationToken);
                if (write.Outcome == StoreWriteOutcome.Applied)
                {
                    return new(RowWriteOutcome.Applied, new Row(next, write.ETag));
                }

                // A conflict after an unknown outcome may be with our own earlier try.
                if (write.Outcome == StoreWriteOutcome.Conflict && attempt == 1)
                {
                    return new(RowWriteOutcome.Lost);
                }

                reason = write.Reason ?? reason;
            }

            metrics.StoreOutcomeUnknown();
            var read = await store.ReadAsync(rowKey, cancellationToken);
            reason = read.Reason ?? reason;
            if (read.Outcome != StoreReadOutcome.Unknown)
            {
                var row = ToRow(read);
                if (row.Entry == stored)
                {
                    return new(RowWriteOutcome.Applied, new Row(next, row.ETag));
                }

                if (row.ETag != current.ETag)
                {
                    return new(RowWriteOutcome.Lost);
                }

                if (current.ETag is null)
                {
                    await WaitAsync(cancellationToken);
                    return new(RowWriteOutcome.Lost);
                }
            }

            if (attempt >= options.StoreAttempts)
            {
                return new(RowWriteOutcome.Unknown, Reason: reason ?? "the store did not answer");
            }

            await WaitAsync(cancellationToken);
        }
    }

    /// <summary>The row that was read. One in the state Cached, which an earlier version of Geo stored, says no more than no row does.</summary>
    public static Row ToRow(StoreRead read) => read.Outcome == StoreReadOutcome.Found ? ToRow(read.Value, read.ETag) : Row.None;

    /// <inheritdoc cref="ToRow(StoreRead)"/>
    public static Row ToRow(ReadOnlyMemory<byte> value, ETag? etag) =>
        GsiEntry.Decode(value.Span) is { State: not GsiState.Cached } entry ? new(entry, etag) : new(GsiEntry.Invalid, etag);

    private Task WaitAsync(CancellationToken cancellationToken) => Task.Delay(options.StoreRetryDelay, time, cancellationToken);
}
