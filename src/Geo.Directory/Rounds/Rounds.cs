using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Runs one round of the protocol: Requested, the requests, the decision (GEO section 3.2). It decides nothing itself: the rules do, and
/// the conditional write on the row as the round left it does, which fails when the round has lost in the meantime.
/// </summary>
internal sealed class Rounds(
    DirectoryTable table, DoubtfulIndex index, RoundRequests requests, LiveConfiguration configuration, Notices notices,
    Deactivations deactivations, Draws draws, GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics, ILogger logger)
{
    // How often a cluster that may own nothing looks for a grain that no member took: one that took none may have found it taken.
    private const int MaxFinds = 3;

    /// <summary>Runs a round for a row that is free or holds a Doubtful instance.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="rowKey">Its row.</param>
    /// <param name="basis">The row as it was read.</param>
    /// <param name="entry">Its entry, recovered.</param>
    /// <param name="node">Where an instance would run.</param>
    /// <param name="mode">What to do about missing replies.</param>
    /// <param name="cancellationToken">The directory's end; the row is then left to be recovered.</param>
    public async Task<RoundEnd> RunAsync(
        GrainKey key, string rowKey, Row basis, GsiEntry entry, string node, SingleInstanceMode mode, CancellationToken cancellationToken)
    {
        var round = draws.Id();
        if (!entry.MayRunHere && !configuration.Present.MayOwn(table.Local) && !SwitchedOff.Is(ProtocolRule.MembersOwn))
        {
            return await IsThereAfterAllAsync(rowKey, basis, cancellationToken)
                ?? await FindAsync(key, round, wanted: default, mode, cancellationToken);
        }

        var known = configuration.Others;
        var running = table.Begin(new RunningRound(round));
        try
        {
            var now = time.GetUtcNow();
            var epoch = draws.Epoch(basis.Entry.Epoch, now);
            var requested = GsiRules.Begin(entry, node, epoch, round, table.Basis, now + options.RoundLifetime);
            var begun = await table.Rows.ReplaceAsync(rowKey, basis, requested, cancellationToken);
            if (begun.Outcome != RowWriteOutcome.Applied)
            {
                return new(new(GsiDecisionKind.Superseded, Reason: "another silo was faster"), StoreUnknown: begun.Reason);
            }

            table.ForgetHint(key);

            // Only now that the row is known to be stored (rule C6): a cluster that came meanwhile was let pass by nobody before it was.
            var asked = SwitchedOff.Is(ProtocolRule.AskedWhenStored) ? known : configuration.Others;
            running.Asks(asked);
            var replies = await requests.AskAsync(key, running, asked, requested.HasInstance, cancellationToken);
            var decision = GsiRules.InConfiguration(
                GsiRules.Decide(requested, table.Local, round, replies, asked, mode), table.Local, configuration.Present);
            var next = GsiRules.Apply(requested, decision);
            if (next.MayRunHere && !requested.HasInstance)
            {
                // Those that let this round pass may have ended an instance since it was begun.
                next = next with { Epoch = Draws.EpochFrom(next.Epoch, time.GetUtcNow()) };
            }

            if (next.State == GsiState.Doubtful && !requested.HasInstance && !SwitchedOff.Is(ProtocolRule.DoubtIsIndexed))
            {
                await index.MarkAsync(key, cancellationToken);
            }

            var decided = await table.Rows.ReplaceAsync(rowKey, begun.Row, next, cancellationToken);
            if (decided.Outcome == RowWriteOutcome.Lost && SwitchedOff.Is(ProtocolRule.LostRoundsEnd))
            {
                decided = new RowWrite(RowWriteOutcome.Applied, new Row(next, begun.Row.ETag));
            }
            else if (decided.Outcome == RowWriteOutcome.Lost)
            {
                var told = decision;
                (decision, decided) = await ReconsiderAsync(rowKey, round, replies, asked, mode, cancellationToken);
                if (decision.Kind == GsiDecisionKind.Superseded && told.Kind == GsiDecisionKind.Cache && !requested.HasInstance)
                {
                    // The row is another silo's round, but where the instance is has been said to this one too.
                    (decision, decided) = (told, new(RowWriteOutcome.Applied, new Row(GsiRules.Apply(requested, told), null)));
                }
            }

            if (decided.Outcome != RowWriteOutcome.Unknown)
            {
                metrics.RoundEnded(decision.Kind);
                logger.RoundEnded(round, key, decision.Kind, decision.Reason);
            }

            if (decision.Kind == GsiDecisionKind.Refuse && decided.Outcome == RowWriteOutcome.Applied && !requested.HasInstance
                && !configuration.Present.MayOwn(table.Local))
            {
                // It began to leave meanwhile: the row is gone, and the grain is looked for as by all who are leaving.
                return await FindAsync(key, draws.Id(), wanted: default, mode, cancellationToken);
            }

            if (decided.Outcome == RowWriteOutcome.Applied)
            {
                NoteMove(key, basis.Entry, requested, decided.Row.Entry, decision.Reason);
            }

            var end = new RoundEnd(decision, decided.Row, decided.Reason);
            return end.Row.Entry is { IsYielding: true }
                ? end with { Row = await YieldAsync(key, rowKey, end.Row, cancellationToken) }
                : end;
        }
        finally
        {
            table.End(running);
        }
    }

    private void NoteMove(GrainKey key, GsiEntry before, GsiEntry requested, GsiEntry after, string? reason)
    {
        var (moves, here) = (table.Moves, table.Moves.Here(after.Node));
        switch (after.State)
        {
            case GsiState.Owned when requested.HasInstance:
                moves.Note(key, MoveKind.Resolved, here, here, "All other clusters answered: it has one owner.");
                break;
            case GsiState.Owned:
                // What is left of an earlier life of the cluster says where it was.
                moves.Note(key, MoveKind.Acquired, before.MayRunHere ? moves.Here(before.Node) : default, here, "No other cluster had it.");
                break;
            case GsiState.Doubtful when !requested.HasInstance:
                moves.Note(key, MoveKind.BecameDoubtful, default, here, $"It was begun although {reason}.");
                break;
            default:
                break;
        }
    }

    /// <summary>
    /// A row that was absent when somebody looked, or had a silo that could not be called, is found by a round's first write; who only
    /// looks for the grain makes none, and reads the row.
    /// </summary>
    /// <returns>Null where there is none, or none that was not known.</returns>
    private async ValueTask<RoundEnd?> IsThereAfterAllAsync(string rowKey, Row basis, CancellationToken cancellationToken)
    {
        if (basis.ETag is not null)
        {
            return null;
        }

        var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
        return read.Unknown is null && read.Row.ETag is null
            ? null
            : new(new(GsiDecisionKind.Restart, Reason: "another silo of this cluster has a row of it"), StoreUnknown: read.Unknown);
    }

    /// <summary>
    /// A cluster that is joining or leaving only finds out where the grain is, and leaves no row: nobody lets it pass (rules C5 and C6).
    /// Where it has no owner a member is asked to take it (rule C8), so that callers notice nothing.
    /// </summary>
    private async Task<RoundEnd> FindAsync(
        GrainKey key, long round, ClusterId wanted, SingleInstanceMode mode, CancellationToken cancellationToken)
    {
        var started = time.GetTimestamp();
        for (var finds = 1; ; finds++)
        {
            var (decision, isAsked) = await FindOnceAsync(key, round, finds, wanted, mode, cancellationToken);
            if (decision.Kind != GsiDecisionKind.Refuse)
            {
                return new(decision, new Row(GsiRules.Apply(GsiEntry.Invalid, decision), null));
            }

            if (!isAsked || finds == MaxFinds || time.GetElapsedTime(started) > options.AcquireTimeout)
            {
                return new(decision);
            }

            round = draws.Id();
        }
    }

    /// <summary>
    /// Finds out where a grain is that may not be here, for an instance here is ending for an owner that has left: asks, and where it is
    /// nowhere has a member take it. Changes nothing here.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="owner">For whom it is ending; asked first to take it.</param>
    /// <param name="mode">What that cluster does about missing replies.</param>
    /// <param name="cancellationToken">The directory's end.</param>
    public Task<RoundEnd> FindElsewhereAsync(
        GrainKey key, ClusterId owner, SingleInstanceMode mode, CancellationToken cancellationToken) =>
        FindAsync(key, draws.Id(), owner, mode, cancellationToken);

    /// <returns>Where it is; or that it is nowhere, and whether a member was asked to take it.</returns>
    private async Task<(GsiDecision Decision, bool IsAsked)> FindOnceAsync(
        GrainKey key, long round, int finds, ClusterId wanted, SingleInstanceMode mode, CancellationToken cancellationToken)
    {
        var asked = configuration.Others;
        var running = table.Begin(new RunningRound(round));
        try
        {
            running.Asks(asked);

            // A member's request would make the rounds of others lose to one that acquires nothing.
            var mayOwn = configuration.Present.MayOwn(table.Local);
            var replies = mayOwn
                ? await requests.FindAsync(key, running, asked, cancellationToken)
                : await requests.AskAsync(key, running, asked, hasInstance: false, cancellationToken);
            var at = Array.FindIndex(replies, r => r.Kind == GsiReplyKind.InstanceAt);
            if (at >= 0)
            {
                return (new(GsiDecisionKind.Cache, replies[at].From, replies[at].Node), false);
            }

            // A member that took it would find the instance in doubt there. Of several, that is called which will be left.
            var inDoubt = replies.Where(r => r.Node is not null).OrderByDescending(r => r.From).FirstOrDefault();
            if (inDoubt.Node is not null && mode == SingleInstanceMode.Optimistic)
            {
                return (new(GsiDecisionKind.Cache, inDoubt.From, inDoubt.Node), false);
            }

            var member = MemberFor(key, replies, finds, wanted);
            if (!member.IsNone && await notices.GiveAsync(key, member, mode, cancellationToken))
            {
                return (new(GsiDecisionKind.Cache, member), true);
            }

            var refused = mayOwn
                ? $"its instance in '{table.Local}' is ending for an owner that has left, and no other member takes it; try again"
                : $"it has no owner, '{table.Local}' is no member of configuration {configuration.Present.Version} and becomes none, and "
                    + "no member takes it. Call it from a member";
            return (new(GsiDecisionKind.Refuse, Reason: refused), !member.IsNone);
        }
        finally
        {
            table.End(running);
        }
    }

    /// <summary>
    /// Who is to acquire a grain: a member that has answered, first the one that is wanted, else as likely any as any other, and another
    /// one each time.
    /// </summary>
    private ClusterId MemberFor(GrainKey key, GsiReply[] replies, int finds, ClusterId wanted)
    {
        var present = configuration.Present;
        var members = replies.Where(r => r.Kind != GsiReplyKind.Missing && present.MayOwn(r.From)).Select(r => r.From).ToList();
        return members.Count == 0 ? default
            : finds == 1 && members.Contains(wanted) ? wanted
            : members[(int)((key.ToPartitionKey().Mix() + (ulong)finds) % (ulong)members.Count)];
    }

    /// <summary>Deactivates the local instance of a yielding row, and only then lets the row name the owner.</summary>
    /// <returns>The row afterwards; still yielding when that failed.</returns>
    public async Task<Row> YieldAsync(GrainKey key, string rowKey, Row row, CancellationToken cancellationToken)
    {
        var entry = row.Entry;
        logger.Yielding(key, entry.Node, entry.Owner);
        try
        {
            var reason = $"Cluster '{entry.Owner}' has the grain; this instance is a duplicate of optimistic activation.";
            if (!SwitchedOff.Is(ProtocolRule.YieldFirst) && !await deactivations.EndAsync(key, entry.Node!, reason, cancellationToken))
            {
                table.Doubtful.Add(key);
                return row;
            }
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            table.Doubtful.Add(key);
            logger.YieldFailed(key, entry.Node, e);
            return row;
        }

        var written = await table.Rows.ReplaceAsync(rowKey, row, GsiRules.Yielded(entry), cancellationToken);
        if (written.Outcome == RowWriteOutcome.Unknown)
        {
            table.Doubtful.Add(key);
            logger.RowUnsettled(key, "changed to Cached", written.Reason);
            return row;
        }

        table.LetGo(key, entry.Epoch);
        table.Doubtful.Remove(key);
        if (written.Outcome == RowWriteOutcome.Lost)
        {
            // A row that yields changes only when its instance is gone: the end of the instance itself has settled it.
            return Row.None;
        }

        table.Moves.NoteGaveWay(key, entry);
        table.Remember(key, written.Row.Entry);
        return written.Row;
    }

    /// <summary>
    /// The row is no longer as the round left it: lost to a cluster with precedence, or taken over. Whatever it holds now, this round must
    /// not win any more, for in between its row may have answered Pass. As a Loser it may still go where it was told that the instance is.
    /// </summary>
    private async ValueTask<(GsiDecision Decision, RowWrite Decided)> ReconsiderAsync(
        string rowKey, long round, GsiReply[] replies, IReadOnlyList<ClusterId> asked, SingleInstanceMode mode,
        CancellationToken cancellationToken)
    {
        var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
        var entry = read.Row.Entry;
        if ((entry.State != GsiState.Loser && !SwitchedOff.Is(ProtocolRule.LoserReconsiders))
            || GsiRules.Decide(entry, table.Local, round, replies, asked, mode) is not { Kind: not GsiDecisionKind.Superseded } decision)
        {
            return (new(GsiDecisionKind.Superseded, Reason: "its row was taken over"), new(RowWriteOutcome.Lost));
        }

        var decided = decision.Kind == GsiDecisionKind.Restart
            ? new RowWrite(RowWriteOutcome.Lost)
            : await table.Rows.ReplaceAsync(rowKey, read.Row, GsiRules.Apply(entry, decision), cancellationToken);
        return (decided.Outcome == RowWriteOutcome.Lost ? new(GsiDecisionKind.Restart, Reason: decision.Reason) : decision, decided);
    }
}
