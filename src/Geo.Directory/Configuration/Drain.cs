using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Gives up what a cluster has that may own nothing any more (rule C8): each silo ends its own instances, in order, so that the next call
/// of each grain places it elsewhere, and removes rows that are nobody's, those of rounds under way included.
/// </summary>
internal sealed class Drain(
    DirectoryTable table, IGeoAdministration administration, Action<GrainKey> tellReleased, ILocalInstances instances,
    GlobalDirectoryOptions options, TimeProvider time, ILogger logger)
{
    private const string Leaves = "Its cluster leaves the multi-cluster.";

    /// <summary>One pass; what did not end in time, or is a silo's that is not fenced off yet, is found by the next one.</summary>
    /// <returns>
    /// How many rows there were that count, and why one of them stays. A damaged row counts, for what it says of its grain is not known.
    /// </returns>
    public async Task<DrainPass> RunAsync(CancellationToken cancellationToken)
    {
        var pace = new Pace(options.ScanRowsPerSecond, time);
        var ending = new List<Task<string?>>(options.ResolveParallelism);
        var held = 0L;
        string? damaged = null;
        string? why = null;
        await foreach (var listed in table.Rows.ListAsync(type: null, after: null, cancellationToken))
        {
            var (key, read) = table.Rows.Read(listed);
            held += read.Unknown is null && read.Row.Entry.State == GsiState.Invalid ? 0 : 1;
            if (read.Unknown is null)
            {
                ending.Add(EndAsync(key, listed.Key, read.Row, cancellationToken));
            }
            else
            {
                damaged ??= read.Unknown;
            }

            if (ending.Count == options.ResolveParallelism)
            {
                var ended = await Task.WhenAny(ending);
                ending.Remove(ended);
                why ??= await ended;
            }

            await pace.NextAsync(cancellationToken);
        }

        foreach (var ended in ending)
        {
            why = await ended ?? why;
        }

        // What an operator has to do comes first: the rest may come to an end by itself.
        return new(held, damaged ?? why);
    }

    /// <returns>Why the row stays; null where it does not, or another one has changed it.</returns>
    private async Task<string?> EndAsync(GrainKey key, string rowKey, Row row, CancellationToken cancellationToken)
    {
        try
        {
            var (entry, node, _) = table.Regard(row.Entry);
            if (entry.MayRunHere && node == NodeState.Living)
            {
                return entry.Node != instances.Node ? $"silo '{entry.Node}' has not ended its instance of '{key}' yet"
                    : await administration.ReleaseAsync(key, Leaves, cancellationToken) ? null
                    : $"the instance of '{key}' on silo '{entry.Node}' has not ended yet; a call on it may never end";
            }

            if (entry.IsYielding)
            {
                return $"the instance of '{key}', which another cluster has, has not ended yet";
            }

            if (node == NodeState.Unfenced && entry.State != GsiState.Invalid)
            {
                return $"silo '{entry.Node}', which had '{key}', is dead and not fenced off yet";
            }

            // A late write of a round under way must find another etag.
            var removed = await table.Rows.ReplaceAsync(rowKey, row, GsiEntry.Invalid, cancellationToken);
            if (removed.Outcome == RowWriteOutcome.Applied && row.Entry.MayRunHere)
            {
                table.Moves.Note(key, MoveKind.Released, table.Moves.Here(row.Entry.Node), default, Leaves);
                tellReleased(key);
            }

            return removed.Reason;
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // One grain's trouble must not keep the others; the next pass tries it again.
            logger.SettleFailed(key, e);
            return $"'{key}' could not be given up: {e.Message}";
        }
    }
}
