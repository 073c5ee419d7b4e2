using System.Runtime.CompilerServices;

namespace Geo.Directory;

/// <summary>The directory as operators see it.</summary>
internal sealed class DirectoryAdministration(
    DirectoryTable table, DoubtfulResolver resolver, Deactivations deactivations, Draws draws, LiveConfiguration configuration,
    Action<GrainKey> tellReleased, Func<GrainKey, ClusterId, CancellationToken, ValueTask<bool>> give, TimeProvider time)
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
        if (await EndAsync(key, reason, cancellationToken) is not { } silo)
        {
            return false;
        }

        table.Moves.Note(key, MoveKind.Released, table.Moves.Here(silo), default, reason);
        return true;
    }

    public async ValueTask<bool> MoveAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default)
    {
        var others = configuration.Others;
        if (!others.Contains(to))
        {
            throw new ArgumentException(
                $"'{to}' is not among the clusters that '{table.Local}' can move a grain to ({string.Join(", ", others)}).", nameof(to));
        }

        if (await EndAsync(key, reason, cancellationToken) is not { } silo)
        {
            return false;
        }

        var (from, endedAt, isTaken) = (table.Moves.Here(silo), time.GetUtcNow(), false);
        try
        {
            return isTaken = await give(key, to, cancellationToken);
        }
        finally
        {
            var (kind, place, why) = isTaken
                ? (MoveKind.MovedAway, new GrainPlace(to, null), reason)
                : (MoveKind.Released, default, $"{reason} (to '{to}', which did not say that it has taken it)");
            table.Moves.Note(key, kind, from, place, why, endedAt);
        }
    }

    /// <summary>Ends this cluster's instance and gives its row up.</summary>
    /// <returns>The silo that had it; null when this cluster has it still, or had it not.</returns>
    private async ValueTask<string?> EndAsync(GrainKey key, string reason, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        var row = await ReadAsync(key, cancellationToken);
        var entry = row.Entry;
        if (!entry.MayRunHere || table.NodeOf(entry) != NodeState.Living)
        {
            return null;
        }

        // Under a new name of the tenancy no silo lets an instance run any more without writing the row first, which the delete below would
        // not survive; and a round of a Doubtful instance has no say any more. The name grows as any other: a call may take the grain up
        // under it, and whoever has it afterwards is known by a higher one.
        var rowKey = DirectoryRows.KeyOf(key);
        var settled = entry.State == GsiState.Owned ? entry : GsiRules.Withdraw(entry with { HasInstance = true });
        var epoch = draws.Epoch(entry.Epoch, time.GetUtcNow());
        var claimed = await table.Rows.ReplaceAsync(rowKey, row, settled with { Epoch = epoch }, cancellationToken);
        if (!Applied(key, claimed) || !await deactivations.EndAsync(key, entry.Node!, reason, cancellationToken))
        {
            return null;
        }

        if (!Applied(key, await table.Rows.ReplaceAsync(rowKey, claimed.Row, GsiEntry.Invalid, cancellationToken)))
        {
            return null;
        }

        table.Doubtful.Remove(key);
        tellReleased(key);
        return entry.Node;
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
