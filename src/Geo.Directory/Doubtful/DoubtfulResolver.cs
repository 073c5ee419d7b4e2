using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Tries Doubtful rows again (GEO section 3.1, optimistic activation: "the runtime periodically retries the GSI request sequence").
/// </summary>
internal sealed class DoubtfulResolver(
    DirectoryTable table, Rounds rounds, Draws draws, GlobalDirectoryOptions options, TimeProvider time, ILogger logger)
{
    private readonly HashSet<GrainKey> _settling = [];
    private readonly Lock _lock = new();
    private readonly Alarm _alarm = new(time);

    /// <summary>Tries again now instead of at the next interval.</summary>
    public void Wake() => _alarm.Ring();

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var stop = cancellationToken.Register(Wake);
        for (_alarm.Set(); !cancellationToken.IsCancellationRequested; _alarm.Set())
        {
            try
            {
                await SettleAllAsync(cancellationToken);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                logger.LoopFailed("resolver", e);
            }

            await _alarm.SleepAsync(options.ResolveInterval);
        }
    }

    /// <summary>Tries all Doubtful rows that this silo knows of.</summary>
    /// <returns>How many were settled.</returns>
    public async Task<int> SettleAllAsync(CancellationToken cancellationToken)
    {
        var keys = table.Doubtful.ToArray();
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

    /// <summary>Tries one grain, unless it is being tried.</summary>
    /// <returns>Whether it was settled.</returns>
    public async Task<bool> TrySettleAsync(GrainKey key, CancellationToken cancellationToken)
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
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            // One grain's trouble must not keep the others doubtful.
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
        if (SwitchedOff.Is(ProtocolRule.DoubtIsSettled))
        {
            return false;
        }

        var rowKey = DirectoryRows.KeyOf(key);
        var started = time.GetTimestamp();
        for (var restarts = 0; ; restarts++)
        {
            var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.IsDamaged)
            {
                // Found again by its entry in the index when it is repaired.
                table.Doubtful.Remove(key);
                return false;
            }

            if (read.Unknown is not null)
            {
                logger.RowUnsettled(key, "tried again", read.Unknown);
                return false;
            }

            var (entry, node, _) = table.Regard(read.Row.Entry);
            if (node == NodeState.Unfenced)
            {
                return false;
            }

            if (entry.IsYielding)
            {
                // Left by a silo that crashed while it deactivated the instance, or by a deactivation that failed.
                return !table.IsRunning(entry.Round)
                    && (await rounds.YieldAsync(key, rowKey, read.Row, cancellationToken)).Entry.State == GsiState.Cached;
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
