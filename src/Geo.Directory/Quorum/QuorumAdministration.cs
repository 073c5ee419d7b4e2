namespace Geo.Directory;

/// <summary>
/// The grains of the mode <see cref="SingleInstanceMode.Quorum"/> of one cluster as operators see them. What a silo of the cluster has,
/// that silo is asked to give up.
/// </summary>
internal sealed class QuorumAdministration(
    OwnershipStore store, OtherLeases others, Tenancies tenancies, QuorumDrain drain, QuorumGifts gifts, Hints hints,
    IClusterMessenger messenger, QuorumSurroundings surroundings, GlobalDirectoryOptions limits, MoveJournal moves, TimeProvider time)
    : IGeoAdministration
{
    private const string Service = "geo.quorum.end";

    private static readonly byte[] Done = [1], NotDone = [0];

    public ClusterId Cluster => messenger.LocalCluster;

    /// <summary>Begins to end what siblings ask for.</summary>
    public IDisposable? Receive() => surroundings.Siblings?.Handle(Service, async (payload, token) =>
    {
        var (key, to, reason) = Read(payload.Span);
        return await EndHereAsync(key, to, reason, token) ? Done : NotDone;
    });

    public async ValueTask<DirectoryPage> ListAsync(DirectoryQuery query, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        OptionsCheck.Check("The options of the query", [query]);
        var rows = new List<DirectoryRow>();
        var damaged = new List<DamagedDirectoryRow>();
        string? last = null;
        if (query.State == GsiState.Cached)
        {
            foreach (var (key, hint) in hints.ToArray().OrderBy(h => OwnerRow.KeyOf(h.Key), CodePointOrder.Instance))
            {
                if (!Matches(key, hint.Cluster, query) || !IsAfter(OwnerRow.KeyOf(key), query.After))
                {
                    continue;
                }

                if (rows.Count == query.PageSize)
                {
                    return new(rows, last);
                }

                last = OwnerRow.KeyOf(key);
                rows.Add(Elsewhere(key, hint.Cluster, hint.Node));
            }

            return new(rows, null);
        }

        if (query.State is not (null or GsiState.Owned))
        {
            return new([], null);
        }

        await foreach (var listed in store.ListAsync(OwnerRow.Prefix, query.After, cancellationToken))
        {
            var (key, row, damage) = Read(listed);
            if (damage is null && (row!.IsReleased || row.Cluster != Cluster || !Matches(key, row.Cluster, query)))
            {
                continue;
            }

            if (rows.Count + damaged.Count == query.PageSize)
            {
                return new(rows, last) { Damaged = damaged };
            }

            last = listed.Key;
            if (damage is null)
            {
                rows.Add(Here(key, row!));
            }
            else
            {
                damaged.Add(new(listed.Key, damage));
            }
        }

        return new(rows, null) { Damaged = damaged };
    }

    public async ValueTask<DirectoryRow?> InspectAsync(GrainKey key, CancellationToken cancellationToken = default) =>
        await ReadAsync(key, cancellationToken) is not { IsReleased: false } row ? null
        : row.Cluster == Cluster ? Here(key, row)
        : Elsewhere(key, row.Cluster, row.Node, row.Epoch);

    /// <summary>True where somebody owns the grain here: nothing is in doubt in this mode.</summary>
    public async ValueTask<bool> ResolveAsync(GrainKey key, CancellationToken cancellationToken = default) =>
        await InspectAsync(key, cancellationToken) is { State: GsiState.Owned };

    public ValueTask<bool> ReleaseAsync(GrainKey key, string reason, CancellationToken cancellationToken = default) =>
        EndAsync(key, default, reason, cancellationToken);

    public ValueTask<bool> MoveAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default)
    {
        var present = surroundings.Others(Cluster);
        return present.Contains(to) ? EndAsync(key, to, reason, cancellationToken) : throw new ArgumentException(
            $"'{to}' is not among the clusters that '{Cluster}' can move a grain to ({string.Join(", ", present)}).", nameof(to));
    }

    private async ValueTask<bool> EndAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        if (tenancies.Of(key) is not null)
        {
            return await EndHereAsync(key, to, reason, cancellationToken);
        }

        if (surroundings.Siblings is not { } siblings || await ReadAsync(key, cancellationToken) is not { IsReleased: false } row
            || row.Cluster != Cluster || !surroundings.MayBeCalled(row.Node))
        {
            return false;
        }

        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        writer.WriteText(to.IsNone ? null : to.Name);
        writer.WriteText(reason);
        var limit = limits.DeactivationTimeout + limits.RequestTimeout + (3 * limits.StoreTimeout);
        var reply = await siblings.AskAsync(row.Node, Service, writer.Written, limit, cancellationToken);
        return reply.Outcome == ReplyOutcome.Replied && reply.Payload.Span.SequenceEqual(Done);
    }

    /// <summary>
    /// Ends the instance on this silo and releases its row, to a cluster where one is named (rule Q7): whoever looks at it has that cluster
    /// take the grain, and takes it only where that cluster does not.
    /// </summary>
    private async ValueTask<bool> EndHereAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken)
    {
        if (tenancies.Of(key) is not { IsEnding: false } tenancy)
        {
            return false;
        }

        tenancy.Heir = to;
        if (await drain.EndAsync(key, tenancy, reason, cancellationToken) is not null)
        {
            return false;
        }

        var (from, endedAt, isTaken) = (moves.Here(surroundings.Node), time.GetUtcNow(), false);
        try
        {
            return to.IsNone || (isTaken = await gifts.GiveAsync(key, to, cancellationToken)
                && await ReadAsync(key, cancellationToken) is { IsReleased: false } row && row.Cluster == to);
        }
        finally
        {
            var (kind, place, why) = to.IsNone ? (MoveKind.Released, default, reason)
                : isTaken ? (MoveKind.MovedAway, new GrainPlace(to, null), reason)
                : (MoveKind.Released, default(GrainPlace), $"{reason} (to '{to}', which did not say that it has taken it)");
            moves.Note(key, kind, from, place, why, endedAt);
        }
    }

    private async ValueTask<OwnerRow?> ReadAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var read = await store.ReadAsync(OwnerRow.KeyOf(key), cancellationToken);
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            throw new GeoUnavailableException($"Grain '{key}' cannot be looked at: {read.Reason}.");
        }

        try
        {
            return read.Outcome == StoreReadOutcome.NotFound ? null : OwnerRow.Decode(read.Value.Span);
        }
        catch (GeoSerializationException e)
        {
            throw new GeoUnavailableException($"Grain '{key}' cannot be looked at: {e.Message}", e);
        }
    }

    private DirectoryRow Here(GrainKey key, OwnerRow row) => new(
        key, new GsiEntry { State = GsiState.Owned, Node = row.Node, Epoch = row.Epoch },
        others.IsKnownOver(row.Lease) ? NodeState.Gone : NodeState.Living);

    private static DirectoryRow Elsewhere(GrainKey key, ClusterId cluster, string? node, long epoch = 0) =>
        new(key, new GsiEntry { State = GsiState.Cached, Owner = cluster, OwnerNode = node, Epoch = epoch }, NodeState.Living);

    private static bool Matches(GrainKey key, ClusterId cluster, DirectoryQuery query) =>
        (query.Type is null || key.Type == query.Type) && (query.Cluster.IsNone || query.Cluster == cluster);

    private static bool IsAfter(string rowKey, string? after) => after is null || CodePointOrder.Instance.Compare(rowKey, after) > 0;

    private static (GrainKey Key, OwnerRow? Row, string? Damage) Read(StoreEntry listed)
    {
        try
        {
            return (GrainKey.Parse(listed.Key[OwnerRow.Prefix.Length..]), OwnerRow.Decode(listed.Value.Span), null);
        }
        catch (Exception e) when (e is GeoSerializationException or FormatException)
        {
            return (default, null, e.Message);
        }
    }

    private static (GrainKey Key, ClusterId To, string Reason) Read(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        var key = GrainKey.Parse(reader.ReadRequiredText());
        var to = reader.ReadText() is { } named ? new ClusterId(named) : default;
        return (key, to, reader.ReadRequiredText());
    }
}
