using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Gives up what a cluster has that may own nothing any more (rule C8): each silo ends its own instances, in order, so that the next call
/// of each grain places it elsewhere, and removes rows that are nobody's, those of rounds under way included.
/// </summary>
internal sealed class Drain(
    DirectoryTable table, IGeoAdministration administration, ILocalInstances instances, GlobalDirectoryOptions options, TimeProvider time,
    ILogger logger)
{
    private const string Leaves = "Its cluster leaves the multi-cluster.";

    /// <summary>One pass; what did not end in time, or is a silo's that is not fenced off yet, is found by the next one.</summary>
    /// <returns>How many rows there were that count.</returns>
    public async Task<long> RunAsync(CancellationToken cancellationToken)
    {
        var pace = new Pace(options.ScanRowsPerSecond, time);
        var ending = new List<Task>(options.ResolveParallelism);
        var held = 0L;
        await foreach (var listed in table.Rows.ListAsync(type: null, after: null, cancellationToken))
        {
            var (key, read) = table.Rows.Read(listed);
            held += read.Unknown is null && read.Row.Entry.State == GsiState.Invalid ? 0 : 1;
            if (read.Unknown is null)
            {
                ending.Add(EndAsync(key, listed.Key, read.Row, cancellationToken));
            }

            if (ending.Count == options.ResolveParallelism)
            {
                ending.Remove(await Task.WhenAny(ending));
            }

            await pace.NextAsync(cancellationToken);
        }

        await Task.WhenAll(ending);
        return held;
    }

    private async Task EndAsync(GrainKey key, string rowKey, Row row, CancellationToken cancellationToken)
    {
        try
        {
            var (entry, node, _) = table.Regard(row.Entry);
            if (entry.MayRunHere && node == NodeState.Living)
            {
                if (entry.Node == instances.Node)
                {
                    await administration.ReleaseAsync(key, Leaves, cancellationToken);
                }
            }
            else if (!entry.IsYielding && (node != NodeState.Unfenced || entry.State == GsiState.Invalid))
            {
                // A late write of a round under way must find another etag.
                var removed = await table.Rows.ReplaceAsync(rowKey, row, GsiEntry.Invalid, cancellationToken);
                if (removed.Outcome == RowWriteOutcome.Applied && row.Entry.MayRunHere)
                {
                    table.Moves.Note(key, MoveKind.Released, table.Moves.Here(row.Entry.Node), default, Leaves);
                }
            }
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // One grain's trouble must not keep the others; the next pass tries it again.
            logger.SettleFailed(key, e);
        }
    }
}
