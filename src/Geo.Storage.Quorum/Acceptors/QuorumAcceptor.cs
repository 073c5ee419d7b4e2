namespace Geo.Storage.Quorum;

/// <summary>
/// A cluster's part in the register: carries out the steps that <see cref="AcceptorRules"/> decides on the cluster's own store. Any number
/// of silos may do so at the same time, as their steps are ordered by the rows' etags (rule R1). It answers those alone that work with its
/// own list of stores, and only while its own store is the one of that list (R5); others are told which it is.
/// </summary>
internal sealed class QuorumAcceptor(
    ClusterId cluster, QuorumConfiguration configuration, AcceptorStore rows, QuorumStoreOptions options, TimeProvider time)
{
    // Of this acceptor, as its store said last. Another silo of the cluster may have taken over a later list since: keys that have a value
    // are bound by what they promised (R2), others by what stands beside the floor, which is read after their row.
    private AcceptorMeta? _meta;

    // Since when the store has the values that came last, by this process.
    private readonly RecentKeys<(Ballot Tag, long Since)> _values = new(options.MaxKnownKeys);

    /// <summary>Answers a request.</summary>
    /// <param name="stores">The list of stores that it comes from (<see cref="StoreList.Digest"/>).</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null where the store leaves the outcome open: then nothing is said.</returns>
    public async ValueTask<QuorumReply?> AnswerAsync(ulong stores, QuorumRequest request, CancellationToken cancellationToken)
    {
        if (request is FoundRequest found && found.Configuration == configuration.InWords)
        {
            return Met(_meta = await rows.ChangeMetaAsync(m => KeeperRules.TakeOver(m, cluster, found.Stores), cancellationToken));
        }

        if (request is MeetRequest or FoundRequest)
        {
            return Met(await rows.ChangeMetaAsync(m => m, cancellationToken));
        }

        if (request is ClearRequest clear)
        {
            return await ClearAsync(clear.Now, cancellationToken);
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
            KeyRequest about => await AnswerAsync(stores, about, cancellationToken),
            RaiseFloorRequest raise => await RaiseAsync(stores, raise.Floor, cancellationToken),
            ListRequest list => await ListAsync(stores, list, cancellationToken),
            _ => throw new ArgumentOutOfRangeException(nameof(request)),
        };
    }

    private bool IsOf(AcceptorMeta? meta, ulong stores) =>
        meta is not null
        && ((meta.Kept?.Digest == stores && meta.Kept.Names(cluster, meta.Store)) || SwitchedOff.Is(ProtocolRule.StoreIsCompared));

    private MetReply? Met(AcceptorMeta? meta) =>
        meta is null ? null : new(
            cluster, configuration.InWords, meta.Store, meta.Kept, meta.IsFresh,
            meta.Kept is { } kept && meta.Floor.Version > kept.Version ? meta.Floor.Version : 0);

    // What to say instead of an answer: nothing where the store leaves it open.
    private MetReply? Instead(ulong stores) => IsOf(_meta, stores) ? null : Met(_meta);

    private async ValueTask<QuorumReply?> AnswerAsync(ulong stores, KeyRequest request, CancellationToken cancellationToken)
    {
        var tries = rows.Tries();
        while (tries.MayMake())
        {
            var early = SwitchedOff.Is(ProtocolRule.FloorIsReadLast) ? await ReadMetaAsync(stores, tries, cancellationToken) : null;
            var read = await rows.ReadAsync(request.Key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                return null;
            }

            var row = read.Outcome == StoreReadOutcome.Found ? QuorumCodec.ReadRow(read.Value.Span) : null;
            AcceptorMeta? meta = null;
            if (AcceptorRules.NeedsFloor(row, request))
            {
                meta = early ?? await ReadMetaAsync(stores, tries, cancellationToken);
                if (meta is null)
                {
                    return Instead(stores);
                }
            }

            var step = AcceptorRules.Decide(row, meta, request);
            var applied = await ApplyAsync(request.Key, read.ETag, step, tries, cancellationToken);
            if (applied is null)
            {
                return null;
            }

            if (applied.Value && step.Reply is { } reply)
            {
                if (step.Write?.Value is { } value && !(_values.TryGet(request.Key, out var last) && last.Tag == value.Tag))
                {
                    _values.Put(request.Key, (value.Tag, time.GetTimestamp()));
                }

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

    /// <returns>Null where the store does not answer, is another one than it was, or works with another list than is asked by.</returns>
    private async ValueTask<AcceptorMeta?> ReadMetaAsync(ulong stores, Tries tries, CancellationToken cancellationToken) =>
        await rows.MetaAsync(tries, cancellationToken) is var (meta, _) && IsStillOf(meta, stores) ? meta : null;

    private bool IsStillOf(AcceptorMeta meta, ulong stores)
    {
        if (SwitchedOff.Is(ProtocolRule.LaterListBinds) && meta.Kept?.Names(cluster, meta.Store) == true)
        {
            return true;
        }

        _meta = meta;
        return IsOf(meta, stores);
    }

    private async ValueTask<QuorumReply?> RaiseAsync(ulong stores, Ballot floor, CancellationToken cancellationToken) =>
        await rows.ChangeMetaAsync(
            m => IsStillOf(m, stores) ? KeeperRules.RaiseFloor(m, floor) : m, cancellationToken) is { } meta
        && IsOf(meta, stores) && meta.Floor >= floor
            ? new DoneReply()
            : Instead(stores);

    // Rows that are written meanwhile carry no value: nobody's list names the store any more (R3, R16).
    private async ValueTask<QuorumReply?> ClearAsync(StoreList now, CancellationToken cancellationToken)
    {
        var name = rows.NewName();
        var began = time.GetTimestamp();
        _meta = await rows.ChangeMetaAsync(m => KeeperRules.BeginToClear(m, cluster, name, now), cancellationToken);
        if (_meta is not { Rows: AcceptorRows.Clearing })
        {
            return Met(_meta);
        }

        var (clearing, found, isAll) = (_meta.Store, new List<(string Key, ETag ETag)>(), true);
        try
        {
            await foreach (var entry in rows.ListAsync("", null, cancellationToken))
            {
                if (entry.Key != OwnKeys.Meta && !SwitchedOff.Is(ProtocolRule.NewcomerIsEmpty))
                {
                    found.Add((entry.Key, entry.ETag));
                }

                if (found.Count >= options.MaxPageRows)
                {
                    isAll = false;
                    break;
                }
            }
        }
        catch (GeoUnavailableException)
        {
            return null;
        }

        // Only if it is being cleared still, and not once more, was all that was found there before: another silo may have ended this long
        // ago, and the rows may be those of an acceptor that was taken in since.
        _meta = await rows.ChangeMetaAsync(m => m, cancellationToken);
        if (_meta is not { Rows: AcceptorRows.Clearing } || _meta.Store != clearing)
        {
            return Met(_meta);
        }

        foreach (var (key, etag) in found)
        {
            if (await rows.DeleteAsync(key, etag, cancellationToken) is not true
                || time.GetElapsedTime(began) >= options.RequestTimeout / 2)
            {
                return Met(_meta);
            }
        }

        return !isAll ? Met(_meta) : Met(_meta = await rows.ChangeMetaAsync(
            m => m.Rows == AcceptorRows.Clearing && m.Store == clearing ? m with { Rows = AcceptorRows.Cleared } : m, cancellationToken));
    }

    private async ValueTask<QuorumReply?> ListAsync(ulong stores, ListRequest list, CancellationToken cancellationToken)
    {
        var most = Math.Clamp(list.MaxRows, 1, options.MaxPageRows);
        var page = new List<PageRow>();
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
                    return await PageAsync(stores, page, isLast: false, cancellationToken);
                }

                var row = QuorumCodec.ReadRow(entry.Value.Span);
                bytes += entry.Value.Length;
                page.Add(new(entry.Key, new(row.Promised, row.Accepted, row.Value), AgeOf(entry.Key, row.Value)));
            }
        }
        catch (GeoUnavailableException)
        {
            return null;
        }

        return await PageAsync(stores, page, isLast: true, cancellationToken);
    }

    /// <returns>Nothing where this process has not seen it come.</returns>
    private TimeSpan AgeOf(string key, QuorumValue? value) =>
        _values.TryGet(key, out var last) && last.Tag == value?.Tag ? time.GetElapsedTime(last.Since) : TimeSpan.Zero;

    // The store may have been emptied, or replaced, or have taken over a later list, while it was listed: what is not in it says nothing
    // then.
    private async ValueTask<QuorumReply?> PageAsync(
        ulong stores, IReadOnlyList<PageRow> page, bool isLast, CancellationToken cancellationToken) =>
        await ReadMetaAsync(stores, rows.Tries(), cancellationToken) is null ? Instead(stores) : new PageReply(page, isLast);
}
