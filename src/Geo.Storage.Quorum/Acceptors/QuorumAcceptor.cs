using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>
/// A cluster's part in the register: carries out the steps that <see cref="AcceptorRules"/> decides on the cluster's own store. Any number
/// of silos may do so at the same time, as their steps are ordered by the rows' etags (rule R1).
/// </summary>
internal sealed class QuorumAcceptor
{
    private readonly BoundedStore _rows;
    private readonly QuorumStoreOptions _options;
    private readonly TimeProvider _time;

    public QuorumAcceptor(IConditionalStore rows, QuorumStoreOptions options, TimeProvider time, ILogger logger)
    {
        (_options, _time) = (options, time);
        _rows = new BoundedStore(rows, new StoreBounds(options.StoreTimeout, options.MaxAbandonedOperations), time, logger);
    }

    /// <summary>Answers a request.</summary>
    /// <returns>Null where the store leaves the outcome open: then nothing is said.</returns>
    public ValueTask<QuorumReply?> AnswerAsync(QuorumRequest request, CancellationToken cancellationToken) => request switch
    {
        KeyRequest about => AnswerAsync(about, cancellationToken),
        RaiseFloorRequest raise => RaiseAsync(raise.Floor, cancellationToken),
        ListRequest list => ListAsync(list, cancellationToken),
        _ => throw new ArgumentOutOfRangeException(nameof(request)),
    };

    private async ValueTask<QuorumReply?> AnswerAsync(KeyRequest request, CancellationToken cancellationToken)
    {
        var tries = new Tries(_time, _options.RequestTimeout);
        while (tries.MayMake())
        {
            var early = SwitchedOff.Is(ProtocolRule.FloorIsReadLast) ? await ReadFloorAsync(cancellationToken) : null;
            var read = await _rows.ReadAsync(request.Key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                return null;
            }

            var row = read.Outcome == StoreReadOutcome.Found ? QuorumCodec.ReadRow(read.Value.Span) : null;
            Ballot? floor = null;
            if (AcceptorRules.NeedsFloor(row, request))
            {
                if ((early ?? await ReadFloorAsync(cancellationToken)) is not { } found)
                {
                    return null;
                }

                floor = found.Floor;
            }

            var step = AcceptorRules.Decide(row, floor, request);
            var applied = await ApplyAsync(request.Key, read.ETag, step, tries, cancellationToken);
            if (applied is null)
            {
                return null;
            }

            if (applied.Value && step.Reply is { } reply)
            {
                return reply;
            }
        }

        return null;
    }

    /// <returns>True when applied, or there was nothing to apply; false after a conflict; null when it stays open.</returns>
    private ValueTask<bool?> ApplyAsync(
        string key, ETag? read, AcceptorStep step, Tries tries, CancellationToken cancellationToken) =>
        step.Write is { } row ? WriteAsync(key, QuorumCodec.Write(row), read, tries, cancellationToken)
        : step.Deletes ? DeleteAsync(key, read!.Value, cancellationToken)
        : new(true);

    private async ValueTask<bool?> WriteAsync(
        string key, byte[] row, ETag? expected, Tries tries, CancellationToken cancellationToken)
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

    private async ValueTask<bool?> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken) =>
        (await _rows.DeleteAsync(key, expected, cancellationToken)).Outcome switch
        {
            StoreWriteOutcome.Applied => true,
            StoreWriteOutcome.Conflict => false,
            _ => null,
        };

    private async ValueTask<(Ballot Floor, ETag? ETag)?> ReadFloorAsync(CancellationToken cancellationToken)
    {
        var read = await _rows.ReadAsync(OwnKeys.Floor, cancellationToken);
        return read.Outcome switch
        {
            StoreReadOutcome.Unknown => null,
            StoreReadOutcome.Found => (QuorumCodec.ReadFloor(read.Value.Span), read.ETag),
            _ => (Ballot.None, null),
        };
    }

    private async ValueTask<QuorumReply?> RaiseAsync(Ballot floor, CancellationToken cancellationToken)
    {
        var tries = new Tries(_time, _options.RequestTimeout);
        while (tries.MayMake())
        {
            if (await ReadFloorAsync(cancellationToken) is not { } found)
            {
                return null;
            }

            if (found.Floor >= floor)
            {
                return new DoneReply();
            }

            switch (await WriteAsync(OwnKeys.Floor, QuorumCodec.Write(floor), found.ETag, tries, cancellationToken))
            {
                case true:
                    return new DoneReply();
                case null:
                    return null;
            }
        }

        return null;
    }

    private async ValueTask<QuorumReply?> ListAsync(ListRequest list, CancellationToken cancellationToken)
    {
        var most = Math.Clamp(list.MaxRows, 1, _options.MaxPageRows);
        var rows = new List<(string, ToldReply)>();
        var (bytes, began) = (0L, _time.GetTimestamp());
        try
        {
            await foreach (var entry in _rows.ListAsync(list.Prefix, list.After, cancellationToken))
            {
                if (entry.Key == OwnKeys.Floor)
                {
                    continue;
                }

                if (rows.Count == most || bytes >= _options.MaxPageBytes
                    || (rows.Count > 0 && _time.GetElapsedTime(began) >= _options.PageTimeout / 2))
                {
                    return new PageReply(rows, IsLast: false);
                }

                var row = QuorumCodec.ReadRow(entry.Value.Span);
                bytes += entry.Value.Length;
                rows.Add((entry.Key, new(row.Promised, row.Accepted, row.Value)));
            }
        }
        catch (GeoUnavailableException)
        {
            return null;
        }

        return new PageReply(rows, IsLast: true);
    }
}
