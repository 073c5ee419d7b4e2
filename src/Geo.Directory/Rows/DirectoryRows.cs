namespace Geo.Directory;

/// <summary>
/// The rows of the directory in the cluster's conditional store. Follows up every unknown outcome, by reading, until it is known or the
/// tries are used up. What is written names its round, so that a write of one's own is recognised.
/// </summary>
internal sealed class DirectoryRows(
    IConditionalStore store, GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics, DamagedRows damaged)
{
    public static string KeyOf(GrainKey key) => $"{GlobalDirectory.RowPrefix}{key.Type}/{key.Key}";

    public static GrainKey GrainOf(string rowKey) => GrainKey.Parse(rowKey[GlobalDirectory.RowPrefix.Length..]);

    /// <summary>One try, for the fast path.</summary>
    public ValueTask<StoreRead> ReadOnceAsync(string rowKey, CancellationToken cancellationToken) =>
        store.ReadAsync(rowKey, cancellationToken);

    /// <summary>Lists the rows, of one type of grain or of all, from the front or after one of them.</summary>
    public IAsyncEnumerable<StoreEntry> ListAsync(string? type, string? after, CancellationToken cancellationToken) =>
        store.ListAsync(type is null ? GlobalDirectory.RowPrefix : $"{GlobalDirectory.RowPrefix}{type}/", after, cancellationToken);

    /// <summary>A row as the store has it.</summary>
    /// <param name="rowKey">The row.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <param name="attempts">How often it is tried; <see cref="GlobalDirectoryOptions.StoreAttempts"/> times when null.</param>
    public async ValueTask<StoreRead> ReadStoredAsync(string rowKey, CancellationToken cancellationToken, int? attempts = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            var read = await store.ReadAsync(rowKey, cancellationToken);
            if (read.Outcome != StoreReadOutcome.Unknown)
            {
                return read;
            }

            metrics.StoreOutcomeUnknown();
            if (attempt >= (attempts ?? options.StoreAttempts))
            {
                return read;
            }

            await WaitAsync(cancellationToken);
        }
    }

    /// <inheritdoc cref="ReadStoredAsync"/>
    public async ValueTask<RowRead> ReadAsync(string rowKey, CancellationToken cancellationToken, int? attempts = null) =>
        Read(rowKey, await ReadStoredAsync(rowKey, cancellationToken, attempts));

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
                // A damaged row is none of ours.
                var (row, _, isDamaged) = Read(rowKey, read);
                if (row.Entry == stored && !isDamaged)
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
                return new(RowWriteOutcome.Unknown, Reason: NotAnswered(reason));
            }

            await WaitAsync(cancellationToken);
        }
    }

    /// <summary>What an answer of the store says, which a damaged row does not.</summary>
    public RowRead Read(string rowKey, StoreRead read)
    {
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            return new(Row.None, NotAnswered(read.Reason));
        }

        try
        {
            return new(ToRow(read));
        }
        catch (GeoSerializationException e)
        {
            return new(new Row(GsiEntry.Invalid, read.ETag), damaged.Report(rowKey, read.ETag, e), IsDamaged: true);
        }
    }

    /// <summary>The same of a row that was listed, whose key may be damaged too.</summary>
    public (GrainKey Key, RowRead Read) Read(StoreEntry listed)
    {
        try
        {
            return (GrainOf(listed.Key), Read(listed.Key, StoreRead.Found(listed.Value, listed.ETag)));
        }
        catch (FormatException e)
        {
            return (default, new(Row.None, damaged.Report(listed.Key, listed.ETag, e), IsDamaged: true));
        }
    }

    /// <summary>
    /// The row that was read. One in the state Cached, which an earlier version of Geo stored, says no more than no row does.
    /// </summary>
    /// <exception cref="GeoSerializationException">The row is damaged.</exception>
    public static Row ToRow(StoreRead read) => read.Outcome == StoreReadOutcome.Found ? ToRow(read.Value, read.ETag) : Row.None;

    /// <inheritdoc cref="ToRow(StoreRead)"/>
    public static Row ToRow(ReadOnlyMemory<byte> value, ETag? etag) =>
        GsiEntry.Decode(value.Span) is { State: not GsiState.Cached } entry ? new(entry, etag) : new(GsiEntry.Invalid, etag);

    private static string NotAnswered(string? reason) =>
        $"the store of the directory's rows does not answer ({reason ?? "it did not say why"})";

    private Task WaitAsync(CancellationToken cancellationToken) => Task.Delay(options.StoreRetryDelay, time, cancellationToken);
}
