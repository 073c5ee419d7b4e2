using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Removes the fences of silos that are long gone. A silo that finds its row gone takes itself for fenced off, and a row that names one
/// whose fence is gone leads to a new fence; so that when they go matters to nobody, once the lease that they end has run out. Since the
/// clock of who wrote a fence may be wrong, this silo must have seen it for as long as well.
/// </summary>
internal sealed class OldFences(IConditionalStore rows, TimeSpan retention, TimeProvider time, ILogger logger)
{
    // How often they are looked for while they are kept.
    private const int LooksPerRetention = 24;

    private Dictionary<string, (ETag Fence, long Since)> _seen = [];

    /// <summary>Looks for them until cancelled.</summary>
    public async Task RemoveUntilAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(retention / LooksPerRetention, time);
        await using var stop = cancellationToken.Register(timer.Dispose);
        try
        {
            while (await timer.WaitForNextTickAsync(CancellationToken.None))
            {
                await TryRemoveAsync(cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }
    }

    /// <summary>Removes those that are old now.</summary>
    public async Task RemoveAsync(CancellationToken cancellationToken)
    {
        Dictionary<string, (ETag Fence, long Since)> seen = [];
        await foreach (var entry in rows.ListAsync(LeaseRow.Prefix, cancellationToken))
        {
            var read = StoreRead.Found(entry.Value, entry.ETag);
            if (LeaseRow.Of(read, unreadable: new LeaseRow()) is not { IsFenced: true } fence)
            {
                continue;
            }

            var since = _seen.TryGetValue(entry.Key, out var known) && known.Fence == entry.ETag ? known.Since : time.GetTimestamp();
            seen[entry.Key] = (entry.ETag, since);
            if (time.GetUtcNow() - fence.WrittenAt > retention && time.GetElapsedTime(since) > fence.Duration * SiloFences.Margin)
            {
                // Best effort: another silo may have removed it.
                _ = await rows.DeleteAsync(entry.Key, entry.ETag, cancellationToken);
            }
        }

        _seen = seen;
    }

    private async Task TryRemoveAsync(CancellationToken cancellationToken)
    {
        try
        {
            await RemoveAsync(cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            logger.OldFencesKept(e);
        }
    }
}
