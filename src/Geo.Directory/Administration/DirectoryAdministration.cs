using System.Runtime.CompilerServices;

namespace Geo.Directory;

/// <summary>The directory as operators see it.</summary>
internal sealed class DirectoryAdministration(
    DirectoryTable table, DoubtfulResolver resolver, Deactivations deactivations, Draws draws, LiveConfiguration configuration,
    RoundRequests requests, Action<GrainKey> tellReleased, Func<GrainKey, ClusterId, CancellationToken, ValueTask<bool>> give,
    GlobalDirectoryOptions options, TimeProvider time)
    : IGeoAdministration
{
    public ClusterId Cluster => table.Local;

    public async ValueTask<DirectoryPage> ListAsync(DirectoryQuery query, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        OptionsCheck.Check("The options of the query", [query]);
        var rows = new List<DirectoryRow>();
        var damaged = new List<DamagedDirectoryRow>();
        string? last = null;
        var all = query.State == GsiState.Cached ? Hints(query) : StoredAsync(query, cancellationToken);
        await foreach (var listed in all.WithCancellation(cancellationToken))
        {
            if (listed.Row is not null && !Matches(listed.Row, query))
            {
                continue;
            }

            if (rows.Count + damaged.Count == query.PageSize)
            {
                return new(rows, last) { Damaged = damaged };
            }

            last = listed.RowKey;
            if (listed.Row is not null)
            {
                rows.Add(listed.Row);
            }
            else
            {
                damaged.Add(new(listed.RowKey, listed.Damage!));
            }
        }

        return new(rows, null) { Damaged = damaged };
    }

    public async ValueTask<DirectoryRow?> InspectAsync(GrainKey key, CancellationToken cancellationToken = default)
    {
        var row = await ReadAsync(key, cancellationToken);
        return row.Entry.State != GsiState.Invalid ? new(key, row.Entry, table.NodeOf(row.Entry))
            : table.TryGetHint(key, out var hint) ? Hint(key, hint)
            : null;
    }

    public async ValueTask<bool> ResolveAsync(GrainKey key, CancellationToken cancellationToken = default) =>
        await resolver.TrySettleAsync(key, cancellationToken);

    public async ValueTask<bool> ReleaseAsync(GrainKey key, string reason, CancellationToken cancellationToken = default)
    {
        if (await EndAsync(key, default, reason, cancellationToken) is not { } ended)
        {
            return false;
        }

        if (!await RemoveAsync(key, ended, cancellationToken))
        {
            return false;
        }

        table.Moves.Note(key, MoveKind.Released, table.Moves.Here(ended.Entry.Node), default, reason);
        return true;
    }

    /// <remarks>
    /// From the end of the instance on until the other cluster has the grain, or is known not to take it, the row names that cluster
    /// (<see cref="GsiRules.Left"/>): calls that come here wait, so that nobody takes the grain up on its way.
    /// </remarks>
    public async ValueTask<bool> MoveAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default)
    {
        var others = configuration.Others;
        if (!others.Contains(to))
        {
            throw new ArgumentException(
                $"'{to}' is not among the clusters that '{table.Local}' can move a grain to ({string.Join(", ", others)}).", nameof(to));
        }

        if (await EndAsync(key, to, reason, cancellationToken) is not { } ended)
        {
            return false;
        }

        if (ended.Entry.State == GsiState.Owned)
        {
            var left = await table.Rows.ReplaceAsync(
                DirectoryRows.KeyOf(key), ended, GsiRules.Left(ended.Entry, time.GetUtcNow() + options.TakeTimeout),
                cancellationToken);
            if (left.Outcome != RowWriteOutcome.Applied)
            {
                // A late write is settled as a duplicate that gives way.
                table.Doubtful.Add(key);
                return Applied(key, left);
            }

            ended = left.Row;
        }
        else if (!await RemoveAsync(key, ended, cancellationToken))
        {
            return false;
        }

        var (from, endedAt, isTaken) = (table.Moves.Here(ended.Entry.Node), time.GetUtcNow(), false);
        using var late = ended.Entry.IsYielding ? new CancellationTokenSource(options.TakeTimeout, time) : new();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            return isTaken = await give(key, to, either.Token);
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            // Nobody waits for it any longer; it may take the grain all the same.
            return false;
        }
        finally
        {
            var (kind, place, why) = isTaken
                ? (MoveKind.MovedAway, new GrainPlace(to, null), reason)
                : (MoveKind.Released, default, $"{reason} (to '{to}', which did not say that it has taken it)");
            table.Moves.Note(key, kind, from, place, why, endedAt);
            if (ended.Entry.IsYielding)
            {
                await SettleAsync(key, ended, isTaken);
            }
        }
    }

    /// <summary>The grain is elsewhere, or nowhere: its row has served.</summary>
    private async ValueTask SettleAsync(GrainKey key, Row left, bool isTaken)
    {
        var settled = await table.Rows.ReplaceAsync(
            DirectoryRows.KeyOf(key), left, isTaken ? GsiRules.Yielded(left.Entry) : GsiEntry.Invalid, CancellationToken.None);
        if (settled.Outcome == RowWriteOutcome.Unknown)
        {
            table.Doubtful.Add(key);
        }
        else if (settled.Outcome == RowWriteOutcome.Applied && isTaken)
        {
            table.Remember(key, settled.Row.Entry);
        }

        if (!isTaken)
        {
            table.ForgetHint(key, left.Entry.Owner);
        }

        tellReleased(key);
    }

    /// <summary>Ends this cluster's instance.</summary>
    /// <returns>
    /// The row, which no instance runs under any more and nobody has taken up since; null when this cluster has the grain still, or had it
    /// not.
    /// </returns>
    private async ValueTask<Row?> EndAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        var row = await ReadAsync(key, cancellationToken);
        var (entry, now) = (row.Entry, time.GetUtcNow());
        if (!entry.MayRunHere || table.NodeOf(entry) != NodeState.Living || entry.IsLeaving(now))
        {
            return null;
        }

        if (!to.IsNone && entry.State == GsiState.Owned
            && !await requests.DoAllAnswerAsync(key, draws.Id(), configuration.Others, cancellationToken))
        {
            // The other cluster would not be let have it, and nor would this one any more.
            return null;
        }

        // Under a new name of the tenancy no silo lets an instance run any more without writing the row first, which the writes that follow
        // would not survive; and a round of a Doubtful instance has no say any more. The name grows as any other: a call may take the grain
        // up under it, and whoever has it afterwards is known by a higher one. Where the grain moves no call does before the deadline.
        var rowKey = DirectoryRows.KeyOf(key);
        var settled = entry.State == GsiState.Owned ? GsiRules.Stay(entry) : GsiRules.Withdraw(entry with { HasInstance = true });
        var epoch = draws.Epoch(entry.Epoch, now);
        var claimed = await table.Rows.ReplaceAsync(
            rowKey, row,
            to.IsNone || settled.State != GsiState.Owned ? settled with { Epoch = epoch }
                : GsiRules.Leave(settled, to, epoch, now + options.DeactivationTimeout + options.StoreTimeout),
            cancellationToken);
        if (!Applied(key, claimed))
        {
            return null;
        }

        var isOver = false;
        try
        {
            isOver = await deactivations.EndAsync(key, entry.Node!, reason, cancellationToken);
            return isOver ? claimed.Row : null;
        }
        finally
        {
            if (!isOver && claimed.Row.Entry.IsLeaving(now))
            {
                // Or the deadline says so.
                await table.Rows.ReplaceAsync(rowKey, claimed.Row, GsiRules.Stay(claimed.Row.Entry), CancellationToken.None);
            }
        }
    }

    private async ValueTask<bool> RemoveAsync(GrainKey key, Row ended, CancellationToken cancellationToken)
    {
        if (!Applied(key, await table.Rows.ReplaceAsync(DirectoryRows.KeyOf(key), ended, GsiEntry.Invalid, cancellationToken)))
        {
            return false;
        }

        table.Doubtful.Remove(key);
        tellReleased(key);
        return true;
    }

    private static bool IsAfter(string rowKey, string? after) => after is null || CodePointOrder.Instance.Compare(rowKey, after) > 0;

    private static bool Applied(GrainKey key, RowWrite write) => write.Outcome switch
    {
        RowWriteOutcome.Applied => true,
        RowWriteOutcome.Lost => false,
        _ => throw new GeoUnavailableException(
            $"Whether grain '{key}' was released is not known: {write.Reason}."),
    };

    private async IAsyncEnumerable<Listed> StoredAsync(
        DirectoryQuery query, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (var listed in table.Rows.ListAsync(query.Type, query.After, cancellationToken))
        {
            var (key, read) = table.Rows.Read(listed);
            yield return read.Unknown is null
                ? new(listed.Key, new(key, read.Row.Entry, table.NodeOf(read.Row.Entry)), null)
                : new(listed.Key, null, read.Unknown);
        }
    }

    private async IAsyncEnumerable<Listed> Hints(DirectoryQuery query)
    {
        await ValueTask.CompletedTask;
        foreach (var (key, hint) in table.Hints().OrderBy(h => DirectoryRows.KeyOf(h.Key), CodePointOrder.Instance))
        {
            var rowKey = DirectoryRows.KeyOf(key);
            if (IsAfter(rowKey, query.After))
            {
                yield return new(rowKey, Hint(key, hint), null);
            }
        }
    }

    private static DirectoryRow Hint(GrainKey key, Placement hint) =>
        new(key, new GsiEntry { State = GsiState.Cached, Owner = hint.Cluster, OwnerNode = hint.Node }, NodeState.Living);

    private bool Matches(DirectoryRow row, DirectoryQuery query) =>
        (query.State is null || row.Entry.State == query.State)
        && (query.Type is null || row.Key.Type == query.Type)
        && (query.Cluster.IsNone || query.Cluster == (row.Entry.Owner.IsNone ? table.Local : row.Entry.Owner));

    private async ValueTask<Row> ReadAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var read = await table.Rows.ReadAsync(DirectoryRows.KeyOf(key), cancellationToken);
        return read.Unknown is null
            ? read.Row
            : throw new GeoUnavailableException($"Grain '{key}' cannot be looked at: {read.Unknown}.");
    }

    /// <summary>What was listed under a key: a row, or what is wrong with it.</summary>
    private readonly record struct Listed(string RowKey, DirectoryRow? Row, string? Damage);
}
