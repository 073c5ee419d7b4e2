using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Runs one round of the protocol: Requested, the requests, the decision (GEO section 3.2). It decides nothing itself: the rules do, and
/// the conditional write on the row as the round left it does, which fails when the round has lost in the meantime.
/// </summary>
internal sealed class Rounds(
    DirectoryTable table, RoundRequests requests, IReadOnlyList<ClusterId> others, ILocalInstances instances, Draws draws,
    GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics, ILogger logger)
{
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
        table.RoundBegins(round);
        try
        {
            var requested = GsiRules.Begin(entry, node, draws.Id(), round, time.GetUtcNow() + options.RoundLifetime);
            var begun = await table.Rows.ReplaceAsync(rowKey, basis, requested, cancellationToken);
            if (begun.Outcome != RowWriteOutcome.Applied)
            {
                return new(new(GsiDecisionKind.Superseded, Reason: "another silo was faster"), StoreUnknown: begun.Reason);
            }

            table.ForgetHint(key);
            var replies = await requests.AskAsync(key, round, others, cancellationToken);
            var decision = GsiRules.Decide(requested, round, replies, others, mode);
            var decided = await table.Rows.ReplaceAsync(rowKey, begun.Row, GsiRules.Apply(requested, decision), cancellationToken);
            if (decided.Outcome == RowWriteOutcome.Lost)
            {
                decision = await ReconsiderAsync(rowKey, round, replies, mode, cancellationToken);
            }

            if (decided.Outcome != RowWriteOutcome.Unknown)
            {
                metrics.RoundEnded(decision.Kind);
                logger.RoundEnded(round, key, decision.Kind, decision.Reason);
            }

            var end = new RoundEnd(decision, decided.Row, decided.Reason);
            return end.Row.Entry is { IsYielding: true } ? end with { Row = await YieldAsync(key, rowKey, end.Row, cancellationToken) } : end;
        }
        finally
        {
            table.RoundEnds(round);
        }
    }

    /// <summary>Deactivates the local instance of a yielding row, and only then lets the row name the owner.</summary>
    /// <returns>The row afterwards; still yielding when that failed.</returns>
    public async Task<Row> YieldAsync(GrainKey key, string rowKey, Row row, CancellationToken cancellationToken)
    {
        var entry = row.Entry;
        logger.Yielding(key, entry.Node, entry.Owner);
        table.LetGo(key);
        try
        {
            await instances.DeactivateAsync(key, $"Cluster '{entry.Owner}' owns the grain; this instance is a duplicate of optimistic activation.");
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            table.Doubtful.Add(key);
            logger.YieldFailed(key, entry.Node, e);
            return row;
        }

        var written = await table.Rows.ReplaceAsync(rowKey, row, GsiRules.Yielded(entry), cancellationToken);
        if (written.Outcome != RowWriteOutcome.Applied)
        {
            table.Doubtful.Add(key);
            logger.RowUnsettled(key, "changed to Cached", written.Reason ?? "it was changed by another silo");
            return row;
        }

        table.Doubtful.Remove(key);
        table.Remember(key, written.Row.Entry);
        return written.Row;
    }

    /// <summary>
    /// The row is no longer as the round left it: lost to a cluster with precedence, or taken over. Whatever it holds now, this round must
    /// not win any more, for in between its row may have answered Pass.
    /// </summary>
    private async ValueTask<GsiDecision> ReconsiderAsync(
        string rowKey, long round, GsiReply[] replies, SingleInstanceMode mode, CancellationToken cancellationToken)
    {
        var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
        var decision = GsiRules.Decide(read.Row.Entry, round, replies, others, mode);
        return decision.Kind == GsiDecisionKind.Restart ? decision : new(GsiDecisionKind.Superseded, Reason: "its row was taken over");
    }
}
