using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Tries Doubtful rows again (GEO section 3.1, optimistic activation: "the runtime periodically retries the GSI request sequence"), and
/// puts rows in order that a crash left behind.
/// </summary>
[SuppressMessage("Reliability", "CA1001", Justification = "The token source has neither timer nor handle, and may be cancelled at any time.")]
internal sealed class DoubtfulResolver(
    DirectoryTable table, Rounds rounds, Draws draws, GlobalDirectoryOptions options, TimeProvider time, ILogger logger)
{
    private readonly HashSet<GrainKey> _settling = [];
    private readonly Lock _lock = new();
    private CancellationTokenSource _sleep = new();

    /// <summary>Tries again now instead of at the next interval.</summary>
    public void Wake() => Volatile.Read(ref _sleep).Cancel();

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var stop = cancellationToken.Register(Wake);
        var lastScan = time.GetTimestamp();
        for (var scan = true; ; scan = time.GetElapsedTime(lastScan) >= options.ScanInterval)
        {
            // Whoever wakes from here on, during the work too, cuts the next sleep short.
            var sleep = new CancellationTokenSource();
            Volatile.Write(ref _sleep, sleep);
            cancellationToken.ThrowIfCancellationRequested();
            lastScan = scan ? time.GetTimestamp() : lastScan;
            try
            {
                _ = scan ? await ScanAsync(cancellationToken) : await SettleAllAsync(table.Doubtful.ToArray(), cancellationToken);
            }
            catch (GeoException e)
            {
                logger.ScanFailed(e);
            }

            await Task.Delay(options.ResolveInterval, time, sleep.Token)
                .ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Lists all rows, removes what dead nodes left, takes Cached rows into the view, and settles the Doubtful ones.</summary>
    /// <returns>How many Doubtful rows were settled.</returns>
    public async ValueTask<int> ScanAsync(CancellationToken cancellationToken)
    {
        await foreach (var listed in table.Rows.ListAsync(cancellationToken))
        {
            GsiEntry entry;
            GrainKey key;
            try
            {
                (key, entry) = (DirectoryRows.GrainOf(listed.Key), GsiEntry.Decode(listed.Value.Span));
            }
            catch (Exception e) when (e is GeoSerializationException or FormatException)
            {
                logger.ScanFailed(e);
                continue;
            }

            var recovered = table.Recover(entry, node: null);
            if (recovered.State == GsiState.Cached)
            {
                if (!table.TryGetCached(key, out _))
                {
                    table.Remember(key, entry);
                }
            }
            else if (recovered.State == GsiState.Invalid)
            {
                var removed = await table.Rows.ReplaceAsync(listed.Key, new Row(entry, listed.ETag), recovered, cancellationToken);
                if (removed.Outcome == RowWriteOutcome.Applied)
                {
                    table.NoteRecovered(key, entry);
                }
            }
            else if (recovered.State == GsiState.Doubtful || recovered.IsYielding)
            {
                table.Doubtful.Add(key);
            }
        }

        return await SettleAllAsync(table.Doubtful.ToArray(), cancellationToken);
    }

    private async Task<int> SettleAllAsync(GrainKey[] keys, CancellationToken cancellationToken)
    {
        var next = -1;
        var workers = new Task<int>[Math.Min(options.ResolveParallelism, keys.Length)];
        for (var i = 0; i < workers.Length; i++)
        {
            workers[i] = WorkAsync();
        }

        return (await Task.WhenAll(workers)).Sum();

        async Task<int> WorkAsync()
        {
            var settled = 0;
            for (int i; (i = Interlocked.Increment(ref next)) < keys.Length;)
            {
                settled += await TrySettleAsync(keys[i], cancellationToken) ? 1 : 0;
            }

            return settled;
        }
    }

    private async Task<bool> TrySettleAsync(GrainKey key, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (!_settling.Add(key))
            {
                return false;
            }
        }

        try
        {
            return await SettleAsync(key, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            // One grain's trouble, a damaged row for example, must not keep the others doubtful.
            logger.SettleFailed(key, e);
            return false;
        }
        finally
        {
            lock (_lock)
            {
                _settling.Remove(key);
            }
        }
    }

    private async Task<bool> SettleAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var rowKey = DirectoryRows.KeyOf(key);
        var started = time.GetTimestamp();
        for (var restarts = 0; ; restarts++)
        {
            var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.Unknown is not null)
            {
                logger.RowUnsettled(key, "tried again", read.Unknown);
                return false;
            }

            var entry = table.Recover(read.Row.Entry, node: null);
            if (entry.IsYielding)
            {
                // Left by a silo that crashed while it deactivated the instance, or by a deactivation that failed.
                return !table.IsRunning(entry.Round) && (await rounds.YieldAsync(key, rowKey, read.Row, cancellationToken)).Entry.State == GsiState.Cached;
            }

            if (!entry.MayRunHere || entry.State == GsiState.Owned)
            {
                table.Doubtful.Remove(key);
                return entry.State == GsiState.Owned;
            }

            if (entry.State == GsiState.Requested)
            {
                return false;
            }

            var end = await rounds.RunAsync(key, rowKey, read.Row, entry, entry.Node!, SingleInstanceMode.Optimistic, cancellationToken);
            if (end.StoreUnknown is not null)
            {
                logger.RowUnsettled(key, "tried again", end.StoreUnknown);
                return false;
            }

            switch (end.Decision.Kind)
            {
                case GsiDecisionKind.Own:
                    table.Doubtful.Remove(key);
                    logger.DoubtfulIsOwned(key, end.Row.Entry.Node);
                    return true;
                case GsiDecisionKind.Cache:
                    return end.Row.Entry.State == GsiState.Cached;
                case GsiDecisionKind.Doubt:
                    return false;
                default:
                    break;
            }

            var wait = draws.Backoff(restarts, options);
            if (time.GetElapsedTime(started) + wait > options.AcquireTimeout)
            {
                return false;
            }

            await Task.Delay(wait, time, cancellationToken);
        }
    }
}
