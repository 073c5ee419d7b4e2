using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Finds out where a grain's instance is, by as many rounds as it takes within a bounded time: cancelled rounds start over after a
/// jittered wait, and a round of another silo of this cluster is waited for.
/// </summary>
internal sealed class Acquisition(
    DirectoryTable table, Rounds rounds, Draws draws, GlobalDirectoryOptions options, TimeProvider time, ILogger logger)
{
    // How often a row may change under a move before the move is given up.
    private const int MaxConflicts = 16;

    /// <summary>
    /// Acquires a grain or finds out where it is. Tried for <see cref="GlobalDirectoryOptions.AcquireTimeout"/>, with a pause before each
    /// try but the second; all fences together are waited for no longer than <see cref="GlobalDirectoryOptions.TakeoverTimeout"/>, which
    /// comes on top.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="node">The node of this silo.</param>
    /// <param name="mode">What to do about missing replies.</param>
    /// <param name="first">The row as the caller has just read it, which spares the first look at it.</param>
    /// <param name="cancellationToken">The directory's end.</param>
    /// <exception cref="GeoUnavailableException">
    /// Pessimistic and replies are missing, too much contention, a dead node that is not fenced off, the store does not answer, or the row
    /// is damaged.
    /// </exception>
    public async Task<Placement> RunAsync(
        GrainKey key, string node, SingleInstanceMode mode, StoreRead first, CancellationToken cancellationToken)
    {
        var rowKey = DirectoryRows.KeyOf(key);
        var started = time.GetTimestamp();
        var (restarts, conflicts) = (0, 0);
        var fencing = TimeSpan.Zero;
        for (RowRead? known = first.Outcome == StoreReadOutcome.Unknown ? null : table.Rows.Read(rowKey, first); ; known = null)
        {
            var read = known ?? await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.Unknown is not null)
            {
                throw RowUnknown(key, read.Unknown);
            }

            var regarded = table.Regard(read.Row.Entry);
            if (table.Grant(key, read.Row, regarded, node, mode) is { } granted)
            {
                return granted;
            }

            if (table.YieldsTo(key, read.Row.Entry) is { } owner)
            {
                return owner;
            }

            TimeSpan wait;
            string? obstacle;
            var (entry, state, _) = regarded;
            if (state == NodeState.Unfenced)
            {
                fencing += await WaitUntilFencedAsync(key, entry, options.TakeoverTimeout - fencing, cancellationToken);
                continue;
            }

            if (state == NodeState.Living && entry.IsLeaving(time.GetUtcNow()))
            {
                (wait, obstacle) = (draws.Jitter(options.PollInterval), $"its instance here is ending, to go on in '{entry.Owner}'");
            }
            else if (entry.State == GsiState.Owned || (entry.MayRunHere && mode == SingleInstanceMode.Optimistic))
            {
                // What a node that is gone has owned stays this cluster's: the row changes its node, and nobody else is asked.
                var next = state == NodeState.Gone ? entry with { Node = node } : entry;
                if (await AffirmAsync(key, rowKey, read.Row, next, cancellationToken) is { } affirmed)
                {
                    if (state == NodeState.Gone)
                    {
                        table.NoteRecovered(key, entry);
                    }

                    NoteFound(key, entry, next, isTakenOver: state == NodeState.Gone);
                    return affirmed;
                }

                (wait, obstacle) = (draws.Backoff(conflicts++, options), "another silo of this cluster changes its row");
            }
            else if (entry.IsYielding && !entry.IsLeft(time.GetUtcNow()) && !SwitchedOff.Is(ProtocolRule.YieldingPoints))
            {
                // The owner for whom the instance here ends has left before it has ended, which may take as long as a call on it does. Or
                // it was to go on there, and whoever saw to that is gone.
                if (entry.OwnerNode is null)
                {
                    table.Doubtful.Add(key);
                }

                return Conclude(key, rowKey, node, mode, await rounds.FindElsewhereAsync(key, entry.Owner, mode, cancellationToken))
                    ?? throw new GeoUnavailableException($"Grain '{key}' cannot be placed: its instance here is ending. Try again.");
            }
            else if (entry.State == GsiState.Requested || entry.IsYielding)
            {
                (wait, obstacle) = (draws.Jitter(options.PollInterval), $"a round for node '{entry.Node}' of this cluster is under way");
            }
            else
            {
                if (entry.State == GsiState.Invalid && read.Row.Entry.State != GsiState.Invalid)
                {
                    table.NoteRecovered(key, read.Row.Entry);
                }

                var end = await rounds.RunAsync(key, rowKey, read.Row, entry, node, mode, cancellationToken);
                if (Conclude(key, rowKey, node, mode, end) is { } placement)
                {
                    return placement;
                }

                obstacle = end.Decision.Reason;
                wait = end.Decision.Kind == GsiDecisionKind.Restart
                    ? draws.Backoff(restarts++, options)
                    : draws.Jitter(options.PollInterval);
            }

            if (time.GetElapsedTime(started) - fencing + wait > options.AcquireTimeout)
            {
                await WithdrawAsync(key, rowKey, node, cancellationToken);
                throw new GeoUnavailableException(
                    $"Grain '{key}' could not be placed within {options.AcquireTimeout.TotalSeconds:0.###} s: {obstacle}. Try again.");
            }

            if (wait > TimeSpan.Zero)
            {
                await Task.Delay(wait, time, cancellationToken);
            }
        }
    }

    /// <summary>Rewrites a row for another node of this cluster, as a new tenancy; the other clusters need not be asked.</summary>
    /// <returns>The tenancy; null when the row is not, or no longer, that of an instance at <paramref name="from"/>.</returns>
    /// <exception cref="GeoUnavailableException">The store does not answer, the row is damaged, or it keeps changing.</exception>
    public async Task<long?> MoveAsync(GrainKey key, string from, string to, long? tenancy, CancellationToken cancellationToken)
    {
        var rowKey = DirectoryRows.KeyOf(key);
        for (var conflicts = 0; conflicts < MaxConflicts; conflicts++)
        {
            var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.Unknown is not null)
            {
                throw RowUnknown(key, read.Unknown);
            }

            var entry = read.Row.Entry;
            if (!entry.MayRunHere || entry.Node != from || (tenancy is not null && entry.Epoch != tenancy))
            {
                return null;
            }

            // A Doubtful instance whose round is being run again takes no round along: that one ends without a say.
            var moved = entry.State is GsiState.Owned ? entry : GsiRules.Withdraw(entry with { HasInstance = true });
            if (await AffirmAsync(key, rowKey, read.Row, moved with { Node = to }, cancellationToken) is not null)
            {
                table.Moves.Note(
                    key, MoveKind.Migrated, table.Moves.Here(from), table.Moves.Here(to), "Its cluster moved the instance between silos.");
                return table.Held(key)?.Epoch;
            }
        }

        throw new GeoUnavailableException(
            $"Grain '{key}' did not move from node '{from}' to node '{to}': its row has changed {MaxConflicts} times meanwhile. Try "
            + "again.");
    }

    /// <summary>What a dead node may still run must neither be called nor be created anew elsewhere in the cluster.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="entry">Its entry, of such a node.</param>
    /// <param name="left">How long to wait: one acquisition may meet several such nodes, one after another.</param>
    /// <param name="cancellationToken">The directory's end.</param>
    /// <returns>How long it took.</returns>
    private async ValueTask<TimeSpan> WaitUntilFencedAsync(
        GrainKey key, GsiEntry entry, TimeSpan left, CancellationToken cancellationToken)
    {
        var started = time.GetTimestamp();
        do
        {
            if (time.GetElapsedTime(started) >= left)
            {
                throw new GeoUnavailableException(
                    $"Grain '{key}' belongs to node '{entry.Node}', which is dead but could not be fenced off within "
                    + $"{options.TakeoverTimeout.TotalSeconds:0.###} s; try again.");
            }

            await Task.Delay(draws.Jitter(options.PollInterval), time, cancellationToken);
        }
        while (table.NodeOf(entry) == NodeState.Unfenced);
        return time.GetElapsedTime(started);
    }

    /// <summary>
    /// Writes a row that this silo merely found anew, as a tenancy of its own, so that no late write of an earlier tenancy can take it
    /// away from under the instance.
    /// </summary>
    private async ValueTask<Placement?> AffirmAsync(
        GrainKey key, string rowKey, Row row, GsiEntry entry, CancellationToken cancellationToken)
    {
        if (SwitchedOff.Is(ProtocolRule.FoundIsAffirmed) && entry == row.Entry)
        {
            return Hold(key, rowKey, row);
        }

        var next = (entry.State == GsiState.Owned ? GsiRules.Stay(entry) : entry) with
        {
            Epoch = draws.Epoch(entry.Epoch, time.GetUtcNow()),
        };
        var affirmed = await table.Rows.ReplaceAsync(rowKey, row, next, cancellationToken);
        return affirmed.Outcome switch
        {
            RowWriteOutcome.Applied => Hold(key, rowKey, affirmed.Row),
            RowWriteOutcome.Lost => null,
            _ => throw RowUnknown(key, affirmed.Reason),
        };
    }

    /// <summary>Remembers that this silo has a grain without a round: by the row of a lost silo, or by one of its own that stood.</summary>
    private void NoteFound(GrainKey key, GsiEntry found, GsiEntry affirmed, bool isTakenOver)
    {
        var (from, to) = (table.Moves.Here(found.Node), table.Moves.Here(affirmed.Node));
        if (isTakenOver)
        {
            table.Moves.Note(key, MoveKind.TakenOver, from, to, "Its silo is gone, and its cluster keeps what that owned.");
        }
        else
        {
            table.Moves.Note(
                key, found.State == GsiState.Owned ? MoveKind.Acquired : MoveKind.BecameDoubtful, from, to,
                "Its row named this silo already.");
        }
    }

    /// <summary>What the end of a round means to the caller; null to start over.</summary>
    private Placement? Conclude(GrainKey key, string rowKey, string node, SingleInstanceMode mode, RoundEnd end)
    {
        if (end.StoreUnknown is not null)
        {
            throw RowUnknown(key, end.StoreUnknown);
        }

        switch (end.Decision.Kind)
        {
            case GsiDecisionKind.Own:
                return end.Row.Entry.Node == node ? Hold(key, rowKey, end.Row) : table.Describe(end.Row.Entry);
            case GsiDecisionKind.Doubt when mode == SingleInstanceMode.Optimistic:
                logger.BecameDoubtful(key, end.Row.Entry.Node, end.Decision.Reason);
                return Hold(key, rowKey, end.Row);
            case GsiDecisionKind.Cache when end.Row.Entry.State == GsiState.Cached:
                return table.Remember(key, end.Row.Entry);
            case GsiDecisionKind.Refuse when mode == SingleInstanceMode.Optimistic:
                throw new GeoUnavailableException($"Grain '{key}' cannot be placed: {end.Decision.Reason}.");
            case GsiDecisionKind.Doubt or GsiDecisionKind.Refuse:
                throw new GeoUnavailableException(
                    $"Grain '{key}' is a pessimistic single instance and may be active elsewhere: {end.Decision.Reason}. Try again when "
                    + "that cluster can be reached, or declare the grain optimistic.");
            default:
                return null;
        }
    }

    private Placement Hold(GrainKey key, string rowKey, Row row)
    {
        if (row.Entry.State == GsiState.Owned)
        {
            table.Doubtful.Remove(key);
        }
        else
        {
            table.Doubtful.Add(key);
        }

        return table.Hold(key, rowKey, row);
    }

    /// <summary>No row is left of an acquisition that gave up, where that can be had.</summary>
    private async ValueTask WithdrawAsync(GrainKey key, string rowKey, string node, CancellationToken cancellationToken)
    {
        var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
        var unknown = read.Unknown;
        if (read.Row.Entry is { State: GsiState.Loser, IsYielding: false } entry && entry.Node == node && !table.IsRunning(entry.Round))
        {
            unknown = (await table.Rows.ReplaceAsync(rowKey, read.Row, GsiRules.Withdraw(entry), cancellationToken)).Reason;
        }

        if (unknown is not null)
        {
            logger.RowUnsettled(key, "removed", unknown);
        }
    }

    private static GeoUnavailableException RowUnknown(GrainKey key, string? reason) => new($"Grain '{key}' cannot be placed: {reason}.");
}
