namespace Geo.Storage.Quorum;

/// <summary>
/// A cluster's part in the register: carries out the steps that <see cref="AcceptorRules"/> decides on the cluster's own store. Any number
/// of silos may do so at the same time, as their steps are ordered by the rows' etags (rule R1). It answers those alone that work with the
/// list of stores that it was founded with, and only while its own store is the one of that list (R5).
/// </summary>
internal sealed class QuorumAcceptor(
    ClusterId cluster, QuorumConfiguration configuration, AcceptorStore rows, QuorumStoreOptions options, TimeProvider time)
{
    // Of this acceptor, as its store said last: it changes only if the store is lost.
    private AcceptorMeta? _meta;

    /// <summary>Answers a request.</summary>
    /// <param name="stores">The list of stores that it comes from (<see cref="StoreList.Digest"/>).</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null where the store leaves the outcome open: then nothing is said.</returns>
    public async ValueTask<QuorumReply?> AnswerAsync(ulong stores, QuorumRequest request, CancellationToken cancellationToken)
    {
        if (request is FoundRequest found && found.Configuration == configuration.InWords)
        {
            return Met(await rows.ChangeMetaAsync(
                m => m.Founded is null && found.Stores.Stores.GetValueOrDefault(cluster) == m.Store ? m with { Founded = found.Stores } : m,
                cancellationToken));
        }

        if (request is MeetRequest or FoundRequest)
        {
            return Met(await rows.ChangeMetaAsync(m => m, cancellationToken));
        }

        if (!IsOf(_meta, stores))
        {
            _meta = await rows.ChangeMetaAsync(m => m, cancellationToken);
            if (!IsOf(_meta, stores))
            {
                return Met(_meta);
            }
        }

        return request switch
        {
            KeyRequest about => await AnswerAsync(about, cancellationToken),
            RaiseFloorRequest raise => await RaiseAsync(raise.Floor, cancellationToken),
            ListRequest list => await ListAsync(list, cancellationToken),
            _ => throw new ArgumentOutOfRangeException(nameof(request)),
        };
    }

    // What it was founded with names its own store: whoever kept the list has seen to that.
    private static bool IsOf(AcceptorMeta? meta, ulong stores) =>
        meta is not null && (meta.Founded?.Digest == stores || SwitchedOff.Is(ProtocolRule.StoreIsCompared));

    private MetReply? Met(AcceptorMeta? meta) => meta is null ? null : new(cluster, configuration.InWords, meta.Store, meta.Founded);

    private async ValueTask<QuorumReply?> AnswerAsync(KeyRequest request, CancellationToken cancellationToken)
    {
        var tries = rows.Tries();
        while (tries.MayMake())
        {
            var early = SwitchedOff.Is(ProtocolRule.FloorIsReadLast) ? await ReadFloorAsync(tries, cancellationToken) : null;
            var read = await rows.ReadAsync(request.Key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                return null;
            }

            var row = read.Outcome == StoreReadOutcome.Found ? QuorumCodec.ReadRow(read.Value.Span) : null;
            Ballot? floor = null;
            if (AcceptorRules.NeedsFloor(row, request))
            {
                floor = early ?? await ReadFloorAsync(tries, cancellationToken);
                if (floor is null)
                {
                    return null;
                }
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
        step.Write is { } row ? rows.WriteAsync(key, QuorumCodec.Write(row), read, tries, cancellationToken)
        : step.Deletes ? rows.DeleteAsync(key, read!.Value, cancellationToken)
        : new(true);

    /// <returns>Null where the store does not answer, or is another one than it was.</returns>
    private async ValueTask<Ballot?> ReadFloorAsync(Tries tries, CancellationToken cancellationToken) =>
        await rows.MetaAsync(tries, cancellationToken) is var (meta, _) && IsStillOurs(meta) ? meta.Floor : null;

    private bool IsStillOurs(AcceptorMeta meta)
    {
        if (meta.Store == _meta?.Store || SwitchedOff.Is(ProtocolRule.StoreIsCompared))
        {
            return true;
        }

        _meta = meta;
        return false;
    }

    private async ValueTask<QuorumReply?> RaiseAsync(Ballot floor, CancellationToken cancellationToken) =>
        await rows.ChangeMetaAsync(m => IsStillOurs(m) && m.Floor < floor ? m with { Floor = floor } : m, cancellationToken) is { } meta
        && meta.Floor >= floor
            ? new DoneReply()
            : null;

    private async ValueTask<QuorumReply?> ListAsync(ListRequest list, CancellationToken cancellationToken)
    {
        var most = Math.Clamp(list.MaxRows, 1, options.MaxPageRows);
        var page = new List<(string, ToldReply)>();
        var (bytes, began) = (0L, time.GetTimestamp());
        try
        {
            await foreach (var entry in rows.ListAsync(list.Prefix, list.After, cancellationToken))
            {
                if (entry.Key == OwnKeys.Meta)
                {
                    continue;
                }

                if (page.Count == most || bytes >= options.MaxPageBytes
                    || (page.Count > 0 && time.GetElapsedTime(began) >= options.PageTimeout / 2))
                {
                    return await PageAsync(page, isLast: false, cancellationToken);
                }

                var row = QuorumCodec.ReadRow(entry.Value.Span);
                bytes += entry.Value.Length;
                page.Add((entry.Key, new(row.Promised, row.Accepted, row.Value)));
            }
        }
        catch (GeoUnavailableException)
        {
            return null;
        }

        return await PageAsync(page, isLast: true, cancellationToken);
    }

    // The store may have been emptied, or replaced, while it was listed: what is not in it says nothing then.
    private async ValueTask<QuorumReply?> PageAsync(
        IReadOnlyList<(string, ToldReply)> page, bool isLast, CancellationToken cancellationToken) =>
        await ReadFloorAsync(rows.Tries(), cancellationToken) is null ? null : new PageReply(page, isLast);
}
