using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>An acceptor's own store: conditional writes whose end is followed up, and the row that says what it is.</summary>
internal sealed class AcceptorStore(
    IConditionalStore store, QuorumStoreOptions options, TimeProvider time, Random random, ILogger logger)
{
    private readonly BoundedStore _rows = new(store, new StoreBounds(options.StoreTimeout, options.MaxAbandonedOperations), time, logger);

    public Tries Tries() => new(time, options.RequestTimeout);

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken) => _rows.ReadAsync(key, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, string? after, CancellationToken cancellationToken) =>
        _rows.ListAsync(prefix, after, cancellationToken);

    /// <returns>True when applied; false after a conflict; null when it stays open.</returns>
    public async ValueTask<bool?> WriteAsync(string key, byte[] row, ETag? expected, Tries tries, CancellationToken cancellationToken)
    {
        do
        {
            switch ((await _rows.WriteAsync(key, row, expected, cancellationToken)).Outcome)
            {
                case StoreWriteOutcome.Applied:
                    return true;
                case StoreWriteOutcome.Conflict:
                    return false;
            }

            if (SwitchedOff.Is(ProtocolRule.StepIsStored))
            {
                return true;
            }

            // Open: what stands there tells. The etag that was expected means that the write may still come, late; a second one with the
            // same content then loses to it or makes it lose.
            var now = await _rows.ReadAsync(key, cancellationToken);
            if (now.Outcome == StoreReadOutcome.Unknown)
            {
                return null;
            }

            if (now.ETag != expected)
            {
                return now.Value.Span.SequenceEqual(row);
            }
        }
        while (tries.MayMake());

        return null;
    }

    /// <inheritdoc cref="WriteAsync"/>
    public async ValueTask<bool?> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken) =>
        (await _rows.DeleteAsync(key, expected, cancellationToken)).Outcome switch
        {
            StoreWriteOutcome.Applied => true,
            StoreWriteOutcome.Conflict => false,
            _ => null,
        };

    /// <summary>A name that no store has had.</summary>
    public Guid NewName()
    {
        var name = new byte[16];
        random.NextBytes(name);
        return new(name);
    }

    /// <summary>What the acceptor keeps of itself; a store that is used for the first time is given a name.</summary>
    /// <returns>Null where the store does not answer.</returns>
    public async ValueTask<(AcceptorMeta Meta, ETag ETag)?> MetaAsync(Tries tries, CancellationToken cancellationToken)
    {
        do
        {
            var read = await _rows.ReadAsync(OwnKeys.Meta, cancellationToken);
            switch (read.Outcome)
            {
                case StoreReadOutcome.Unknown:
                    return null;
                case StoreReadOutcome.Found:
                    return (QuorumCodec.ReadMeta(read.Value.Span), read.ETag!.Value);
            }

            await WriteAsync(
                OwnKeys.Meta, QuorumCodec.Write(AcceptorMeta.New(NewName())), null, tries, cancellationToken);
        }
        while (tries.MayMake());

        return null;
    }

    /// <summary>Changes what the acceptor keeps of itself, from whatever it is.</summary>
    /// <param name="change">The new one; the same for no change.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>What it is then; null where the outcome stays open.</returns>
    public async ValueTask<AcceptorMeta?> ChangeMetaAsync(Func<AcceptorMeta, AcceptorMeta> change, CancellationToken cancellationToken)
    {
        var tries = Tries();
        while (tries.MayMake())
        {
            if (await MetaAsync(tries, cancellationToken) is not var (meta, etag))
            {
                return null;
            }

            var next = change(meta);
            if (next == meta)
            {
                return meta;
            }

            switch (await WriteAsync(OwnKeys.Meta, QuorumCodec.Write(next), etag, tries, cancellationToken))
            {
                case true:
                    return next;
                case null:
                    return null;
            }
        }

        return null;
    }
}
