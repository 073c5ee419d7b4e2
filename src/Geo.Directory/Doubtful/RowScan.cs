namespace Geo.Directory;

/// <summary>
/// Looks through the rows of the cluster, or through the index of the Doubtful ones, a bounded number a second: removes what silos that
/// are gone left behind, and hands what is in doubt to the resolver.
/// </summary>
internal sealed class RowScan(
    DirectoryTable table, DoubtfulIndex index, Action<GrainKey> tellReleased, GoneNodes goneNodes, DamagedRows damaged,
    GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics)
{
    /// <summary>Looks at the row of each entry of the index.</summary>
    /// <param name="turn">The turn to keep; null when the scan was asked for.</param>
    /// <param name="cancellationToken">Ends the scan.</param>
    public async Task ScanIndexAsync(ScanTurn? turn, CancellationToken cancellationToken)
    {
        var pace = new Pace(options.ScanRowsPerSecond, time);
        await foreach (var listed in index.ListAsync(cancellationToken))
        {
            await LookAsync(listed, cancellationToken);
            if (!await GoesOnAsync(pace, turn, cancellationToken))
            {
                return;
            }
        }
    }

    /// <summary>Looks at every row.</summary>
    /// <inheritdoc cref="ScanIndexAsync"/>
    public async Task ScanRowsAsync(ScanTurn? turn, CancellationToken cancellationToken)
    {
        var pace = new Pace(options.ScanRowsPerSecond, time);
        var settling = new List<Task>(options.ResolveParallelism);
        await foreach (var listed in table.Rows.ListAsync(type: null, after: null, cancellationToken))
        {
            metrics.RowScanned();
            var (key, read) = table.Rows.Read(listed);
            if (!SwitchedOff.Is(ProtocolRule.RowsAreScanned) && read.Unknown is null && !IsWell(read.Row))
            {
                settling.Add(SettleAsync(key, listed.Key, read.Row, cancellationToken));
                if (settling.Count == options.ResolveParallelism)
                {
                    await Task.WhenAll(settling);
                    settling.Clear();
                }
            }

            if (!await GoesOnAsync(pace, turn, cancellationToken))
            {
                break;
            }
        }

        await Task.WhenAll(settling);
    }

    private static async ValueTask<bool> GoesOnAsync(Pace pace, ScanTurn? turn, CancellationToken cancellationToken)
    {
        await pace.NextAsync(cancellationToken);
        return turn is null || await turn.KeepAsync(cancellationToken);
    }

    /// <summary>True for the rows of which there are many: nothing is to be done about them.</summary>
    private bool IsWell(Row row) => row.Entry.State == GsiState.Owned && table.NodeOf(row.Entry) != NodeState.Gone;

    private async Task LookAsync(StoreEntry listed, CancellationToken cancellationToken)
    {
        GrainKey key;
        try
        {
            key = DoubtfulIndex.GrainOf(listed.Key);
        }
        catch (FormatException e)
        {
            _ = damaged.Report(listed.Key, listed.ETag, e);
            return;
        }

        var rowKey = DirectoryRows.KeyOf(key);
        var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
        if (read.Unknown is null && !await IsInDoubtAsync(key, rowKey, read.Row, cancellationToken))
        {
            await index.RemoveAsync(listed, cancellationToken);
        }
    }

    private async Task SettleAsync(GrainKey key, string rowKey, Row row, CancellationToken cancellationToken)
    {
        // A row that this silo has in mind has its entry in the index.
        var known = table.Doubtful.Contains(key);
        if (await IsInDoubtAsync(key, rowKey, row, cancellationToken) && row.Entry.State == GsiState.Doubtful && !known)
        {
            await index.RepairAsync(key, cancellationToken);
        }
    }

    /// <summary>Removes a row that is void, and has one that is in doubt tried again.</summary>
    /// <returns>False when the row needs no entry in the index: there is none, or it is Owned.</returns>
    private async ValueTask<bool> IsInDoubtAsync(GrainKey key, string rowKey, Row row, CancellationToken cancellationToken)
    {
        if (row.ETag is null || IsWell(row))
        {
            return false;
        }

        var entry = table.Regard(row.Entry).Entry;
        if (entry.State == GsiState.Owned)
        {
            if (goneNodes.MayBeTakenOver(entry.Node!))
            {
                return false;
            }

            entry = GsiEntry.Invalid;
        }

        if (entry.State == GsiState.Invalid)
        {
            var removed = await table.Rows.ReplaceAsync(rowKey, row, entry, cancellationToken);
            if (removed.Outcome == RowWriteOutcome.Applied)
            {
                table.NoteVoid(key, row.Entry, "Its silo is gone, and nobody called it since.");
                if (row.Entry.MayRunHere)
                {
                    tellReleased(key);
                }
            }

            return removed.Outcome != RowWriteOutcome.Applied;
        }

        if (entry.State == GsiState.Doubtful || entry.HasInstance)
        {
            table.Doubtful.Add(key);
        }

        return true;
    }
}
