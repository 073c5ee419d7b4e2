using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Finds out by its row who owns a grain, and takes one that is nobody's: one read and one write of the store by majority (rule Q5 of the
/// design of regions). An owner that cannot be reached is waited for until its lease is over, and no longer than that takes.
/// </summary>
internal sealed class QuorumAcquisition(
    OwnershipStore store, OwnLease own, OtherLeases others, Tenancies tenancies, MissedOwners missed, QuorumGifts gifts,
    IClusterMessenger messenger, QuorumSurroundings surroundings, GlobalDirectoryOptions limits, TimeSpan lease, Draws draws,
    MoveJournal moves, TimeProvider time, ILogger logger)
{
    /// <summary>Told of a grain that another cluster had released to this one, and that this silo has taken.</summary>
    public Action<GrainKey>? Arrived { get; init; }

    // How often a row may change under a move before the move is given up.
    private const int MaxConflicts = 16;

    private static readonly TimeSpan LongestGlance = TimeSpan.FromSeconds(1);

    private readonly TimeSpan _glance = lease / 20 < LongestGlance ? lease / 20 : LongestGlance;

    // A lease that is not renewed any more is over by then: others look at it four times while it lasts, and give one of them time to end
    // it before they do, and what it wants to take, before they take anything.
    private readonly TimeSpan _patience = (lease * SiloFences.Margin) + (lease * 0.9);

    /// <summary>Where the instance is: on this silo from now on, or where its owner serves it.</summary>
    /// <exception cref="GeoUnavailableException">See <see cref="QuorumDirectory.AcquireAsync"/>.</exception>
    public async Task<Placement> RunAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var started = time.GetTimestamp();
        var offeredTo = default(ClusterId);
        var waiting = await AwaitUnreachedAsync(key, cancellationToken);
        for (var (conflicts, unknown, given) = (0, 0, 0); tenancies.Of(key) is not { MayBegin: true };)
        {
            TimeSpan wait;
            string? obstacle;
            var limit = limits.AcquireTimeout;
            if (tenancies.Of(key) is { IsEnding: true })
            {
                (wait, obstacle) = (_glance, "its instance on this silo has not ended yet");
            }
            else if (own.Present is not { MayServe: true } held)
            {
                (wait, obstacle) = (_glance, "this silo has no lease, for it does not reach a majority of the clusters");
                limit = _patience < limit ? _patience : limit;
            }
            else if (await ReadAsync(key, cancellationToken) is var read && read.Outcome == StoreReadOutcome.Unknown)
            {
                (wait, obstacle) = (draws.Backoff(++unknown, limits), read.Reason);
            }
            else if (Decode(key, read) is var row && await IsVacantAsync(row, held, cancellationToken))
            {
                missed.Forget(key);
                if (OwnershipRules.HeirOf(row, messenger.LocalCluster) is { IsNone: false } heir && heir != offeredTo
                    && surroundings.MayOwn(heir) && messenger.IsLinked(heir))
                {
                    // Once: where it does not take the grain, anyone may.
                    offeredTo = heir;
                    await gifts.GiveAsync(key, heir, cancellationToken);
                    (wait, obstacle) = (TimeSpan.Zero, $"it was to go on in {heir}, which has not taken it");
                }
                else if (surroundings.MayOwn(messenger.LocalCluster))
                {
                    // Unknown: the row says at the next look whether it took effect, as one of this silo's own that it does not know of.
                    var end = await TakeAsync(key, row, read.ETag, held, cancellationToken);
                    if (tenancies.Of(key) is { MayBegin: true })
                    {
                        continue;
                    }

                    (wait, obstacle) = (draws.Backoff(conflicts++, limits), end.Reason ?? "others want it, too");
                }
                else
                {
                    // The row is not looked at without a pause a second time: the member may have found an owner whose lease it does not
                    // know to be over yet, as this silo does.
                    obstacle = "this cluster may own nothing now, and no member that it is linked with has taken the grain";
                    wait = await GiveAsync(key, row, read.ETag, held, cancellationToken) && given++ == 0 ? TimeSpan.Zero : _glance;
                }
            }
            else if (await CanBeCalledAsync(key, row!, waiting, cancellationToken))
            {
                return PlaceOf(row!);
            }
            else
            {
                (wait, obstacle) = (TimeSpan.Zero, $"the lease {row!.Lease} is over");
            }

            if (time.GetElapsedTime(started) + wait > limit)
            {
                throw Unplaced(key, obstacle);
            }

            if (wait > TimeSpan.Zero)
            {
                await Task.Delay(wait, time, cancellationToken);
            }
        }

        return new(PlacementKind.Here, messenger.LocalCluster, surroundings.Node);
    }

    /// <summary>Where the instance is, by the row; null for nowhere.</summary>
    /// <exception cref="GeoUnavailableException">No majority answers, or the row is damaged.</exception>
    public async ValueTask<Placement?> FindAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var read = await store.ReadAsync(OwnerRow.KeyOf(key), cancellationToken);
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            throw new GeoUnavailableException($"Grain '{key}' cannot be looked up: {read.Reason}.");
        }

        return Decode(key, read) is { IsReleased: false } row && !others.IsKnownOver(row.Lease)
            && (row.Cluster != messenger.LocalCluster || row.Node == surroundings.Node || surroundings.MayBeCalled(row.Node))
            ? PlaceOf(row)
            : null;
    }

    /// <summary>Takes a grain whose instance has ended on another silo of this cluster, to go on here.</summary>
    /// <exception cref="GeoUnavailableException">See <see cref="QuorumDirectory.MoveAsync"/>.</exception>
    public async ValueTask<long?> MoveAsync(GrainKey key, string from, long? tenancy, CancellationToken cancellationToken)
    {
        for (var conflicts = 0; conflicts < MaxConflicts; conflicts++)
        {
            if (own.Present is not { MayServe: true } held)
            {
                return null;
            }

            var read = await store.ReadToWriteAsync(OwnerRow.KeyOf(key), cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                throw Unplaced(key, read.Reason);
            }

            var row = Decode(key, read);
            if (!OwnershipRules.MayMove(row, messenger.LocalCluster, from, tenancy))
            {
                return null;
            }

            var end = await TakeAsync(key, row, read.ETag, held, cancellationToken);
            switch (end.Outcome)
            {
                case StoreWriteOutcome.Applied:
                    return tenancies.Of(key)?.Row.Epoch;
                case StoreWriteOutcome.Unknown:
                    throw Unplaced(key, end.Reason);
            }
        }

        throw Unplaced(key, $"its row has changed {MaxConflicts} times meanwhile");
    }

    private static OwnerRow? Decode(GrainKey key, StoreRead read)
    {
        try
        {
            return read.Outcome == StoreReadOutcome.NotFound ? null : OwnerRow.Decode(read.Value.Span);
        }
        catch (GeoSerializationException e)
        {
            throw new GeoUnavailableException($"Who owns grain '{key}' cannot be read: {e.Message}", e);
        }
    }

    private static GeoUnavailableException Unplaced(GrainKey key, string? why) =>
        new($"Grain '{key}' cannot be placed: {why?.TrimEnd('.')}. Try again.");

    // To ready the row for a write would stand in the way of who is taking it, and that one in the way of this silo's write.
    private ValueTask<StoreRead> ReadAsync(GrainKey key, CancellationToken cancellationToken) => missed.TakeWanted(key)
        ? store.ReadAsync(OwnerRow.KeyOf(key), cancellationToken)
        : store.ReadToWriteAsync(OwnerRow.KeyOf(key), cancellationToken);

    private async ValueTask<bool> IsVacantAsync(OwnerRow? row, OwnLease.Held held, CancellationToken cancellationToken) =>
        OwnershipRules.IsVacant(row, held.Name, isOver: SwitchedOff.Is(ProtocolRule.OverIsAwaited))
        || OwnershipRules.IsVacant(row, held.Name, isOver: await others.IsOverAsync(row!.Lease, cancellationToken));

    private async ValueTask<StoreWrite> TakeAsync(
        GrainKey key, OwnerRow? row, ETag? etag, OwnLease.Held held, CancellationToken cancellationToken)
    {
        var next = OwnershipRules.Begin(row, messenger.LocalCluster, surroundings.Node, held.Name, time.GetUtcNow());
        var written = await store.WriteAsync(OwnerRow.KeyOf(key), next.Encode(), etag, cancellationToken);
        if (written.Outcome == StoreWriteOutcome.Conflict && SwitchedOff.Is(ProtocolRule.OwnerIsCompared))
        {
            var read = await store.ReadAsync(OwnerRow.KeyOf(key), cancellationToken);
            written = await store.WriteAsync(OwnerRow.KeyOf(key), next.Encode(), read.ETag, cancellationToken);
        }

        if (written.Outcome != StoreWriteOutcome.Applied)
        {
            return written;
        }

        if (!surroundings.MayOwn(messenger.LocalCluster))
        {
            // It began to leave meanwhile, and may have counted already what it holds. What becomes of this write the row says at the next
            // look, as one of this silo's own that it does not know of.
            await store.WriteAsync(OwnerRow.KeyOf(key), (next with { IsReleased = true }).Encode(), written.ETag, cancellationToken);
            return StoreWrite.Conflict;
        }

        var tenancy = new Tenancies.Tenancy(next, written.ETag!.Value, held);
        tenancies.Begin(key, tenancy);
        if (held.Lease.IsFenced)
        {
            // Others may take it: what this silo owned under that lease was ended before this.
            tenancies.End(key, tenancy);
        }
        else
        {
            NoteTaken(key, row, next, held);
            if (row is { IsReleased: true } && row.Heir == messenger.LocalCluster)
            {
                Arrived?.Invoke(key);
            }
        }

        return written;
    }

    private void NoteTaken(GrainKey key, OwnerRow? before, OwnerRow row, OwnLease.Held held)
    {
        GrainPlace from = before is null ? default : new(before.Cluster, before.Node);
        var here = moves.Here(row.Node);
        if (before is null or { IsReleased: true } || before.Lease == held.Name)
        {
            moves.Note(key, MoveKind.Acquired, from, here, "No other silo had it.");
        }
        else if (others.IsKnownOver(before.Lease))
        {
            logger.TakenOver(key, before.Cluster, row.Epoch, before.Lease);
            moves.Note(key, MoveKind.TakenOver, from, here, $"The lease {before.Lease} is over.");
        }
        else
        {
            moves.Note(key, MoveKind.Migrated, from, here, "Its cluster moved the instance between silos.");
        }
    }

    /// <summary>Has a member own a grain that is nobody's: this cluster is joining or leaving (rule C8).</summary>
    /// <returns>True when the row is to be looked at again.</returns>
    private async ValueTask<bool> GiveAsync(
        GrainKey key, OwnerRow? row, ETag? etag, OwnLease.Held held, CancellationToken cancellationToken)
    {
        if (row is { IsReleased: false } && row.Lease == held.Name)
        {
            // Others take it for this silo's.
            var released = (row with { IsReleased = true }).Encode();
            await store.WriteAsync(OwnerRow.KeyOf(key), released, etag, cancellationToken);
        }

        return await gifts.GiveAsync(key, cancellationToken);
    }

    /// <summary>
    /// Waits until an owner can be reached, or its lease is over. One that was not found where its row says can be reached again when its
    /// lease is renewed (rule Q9): its process lives.
    /// </summary>
    /// <returns>True when it can be reached; false when its lease is over.</returns>
    /// <exception cref="GeoUnavailableException">Neither came about in the time that it takes a lease to run out.</exception>
    private async ValueTask<bool> CanBeCalledAsync(GrainKey key, OwnerRow row, long? waiting, CancellationToken cancellationToken)
    {
        var (started, isMissed, seen) = (waiting ?? time.GetTimestamp(), missed.Has(key, row), others.LastSeen(row.Lease));
        while (!CanBeReached(row) || (isMissed && others.LastSeen(row.Lease) == seen))
        {
            var next = others.Next;
            if (others.IsKnownOver(row.Lease))
            {
                return false;
            }

            if (time.GetElapsedTime(started) > _patience)
            {
                throw Unplaced(
                    key,
                    isMissed ? $"cluster {row.Cluster} owns it, and says that it is not there; its lease {row.Lease} is not over yet"
                        : $"cluster {row.Cluster} owns it, renews its lease, and cannot be reached from here");
            }

            await GlanceAsync(next, cancellationToken);
        }

        missed.Forget(key);
        return true;
    }

    /// <summary>
    /// Waits until the cluster to which the last call was not carried is linked, or the lease under which its silo has the grain is over:
    /// who readied the row before would have to do so again, and stand in the way of others meanwhile.
    /// </summary>
    /// <returns>When the wait began; null where there was none.</returns>
    private async ValueTask<long?> AwaitUnreachedAsync(GrainKey key, CancellationToken cancellationToken)
    {
        if (!missed.TakeUnreached(key, out var owner))
        {
            return null;
        }

        var began = others.IsKnownOver(owner.Node!) ? null : await AwaitAsync(key, owner, cancellationToken);
        if (others.IsEndedByAnother(owner.Node!))
        {
            missed.NoteWanted([key]);
        }

        return began;
    }

    private async ValueTask<long?> AwaitAsync(GrainKey key, Placement owner, CancellationToken cancellationToken)
    {
        var started = time.GetTimestamp();
        var read = await store.ReadAsync(OwnerRow.KeyOf(key), cancellationToken);
        if (read.Outcome != StoreReadOutcome.Found || Decode(key, read) is not { IsReleased: false } row || row.Lease != owner.Node
            || await others.IsOverAsync(row.Lease, cancellationToken))
        {
            return null;
        }

        while (time.GetElapsedTime(started) < _patience && !messenger.IsLinked(owner.Cluster))
        {
            var next = others.Next;
            if (others.IsKnownOver(row.Lease))
            {
                return null;
            }

            await GlanceAsync(next, cancellationToken);
        }

        return started;
    }

    private async Task GlanceAsync(Task next, CancellationToken cancellationToken)
    {
        // The end of any lease may be days away: this form of waiting leaves nothing behind at it. The glance ends by itself.
        await Task.WhenAny(next, Task.Delay(_glance, time, CancellationToken.None));
        cancellationToken.ThrowIfCancellationRequested();
    }

    /// <summary>False of this silo itself: the row names an earlier lease of its own, whose end it has not seen yet.</summary>
    private bool CanBeReached(OwnerRow row) => row.Cluster == messenger.LocalCluster
        ? row.Node != surroundings.Node && surroundings.MayBeCalled(row.Node)
        : messenger.IsLinked(row.Cluster);

    /// <summary>Elsewhere, its node is the lease, by which hints of it end.</summary>
    private Placement PlaceOf(OwnerRow row) => row.Cluster == messenger.LocalCluster
        ? new(PlacementKind.Here, row.Cluster, row.Node)
        : new(PlacementKind.Elsewhere, row.Cluster, row.Lease) { Tenancy = row.Epoch };
}
