using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>Scans at every <see cref="GlobalDirectoryOptions.ScanInterval"/>, in one silo of the cluster, and when it is woken.</summary>
internal sealed class ScanLoop(
    string name, ScanTurn turn, Func<ScanTurn, CancellationToken, Task> scan, GlobalDirectoryOptions options, TimeProvider time,
    ILogger logger)
{
    private readonly Alarm _alarm = new(time);
    private long _wantedSince;

    /// <summary>Scans now, unless another silo of the cluster begins to.</summary>
    public void Wake()
    {
        Volatile.Write(ref _wantedSince, time.GetUtcNow().UtcTicks);
        _alarm.Ring();
    }

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var stop = cancellationToken.Register(_alarm.Ring);
        for (_alarm.Set(); !cancellationToken.IsCancellationRequested; _alarm.Set())
        {
            await _alarm.SleepAsync(await TryScanAsync(cancellationToken));
        }
    }

    /// <returns>How long to wait before the next try.</returns>
    private async ValueTask<TimeSpan> TryScanAsync(CancellationToken cancellationToken)
    {
        // The clock on the wall may be set while a scan goes on: by it, the next one could be due in years.
        var began = time.GetTimestamp();
        try
        {
            var wanted = Volatile.Read(ref _wantedSince);
            var since = Math.Max(wanted, (time.GetUtcNow() - options.ScanInterval).UtcTicks + 1);
            if (await turn.TryTakeAsync(new(since, TimeSpan.Zero), cancellationToken) is { } wait)
            {
                return wait;
            }

            // Granted: a clock that is set back would let the wish stand for as long.
            Interlocked.CompareExchange(ref _wantedSince, 0, wanted);
            await scan(turn, cancellationToken);
            await turn.EndAsync(cancellationToken);
        }
        catch (GeoException e)
        {
            logger.ScanFailed(name, e);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            logger.LoopFailed(name, e);
        }

        var left = options.ScanInterval - time.GetElapsedTime(began);
        return left > options.ResolveInterval ? left : options.ResolveInterval;
    }
}
