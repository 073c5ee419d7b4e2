namespace Geo.Directory;

/// <summary>Looks at something again and again; each look says when the next one is to be, whatever the one before came to.</summary>
/// <param name="look">Looks once, and says how long to wait then: more than nothing.</param>
/// <param name="pause">How long to wait before the first look, and after one that failed.</param>
/// <param name="failed">Told why a look failed.</param>
/// <param name="time">The clock.</param>
internal sealed class Lookout(
    Func<CancellationToken, Task<TimeSpan>> look, TimeSpan pause, Action<Exception> failed, TimeProvider time)
{
    /// <summary>Looks until cancelled.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    /// <param name="meanwhile">Disposed at the end; null for nothing.</param>
    public async Task RunUntilAsync(CancellationToken cancellationToken, IDisposable? meanwhile = null)
    {
        using var held = meanwhile;
        using var timer = new PeriodicTimer(pause, time);

        // The end of the timer is no exception, as a cancelled wait would be.
        await using var stop = cancellationToken.Register(timer.Dispose);
        try
        {
            while (await timer.WaitForNextTickAsync(CancellationToken.None))
            {
                var next = await TryLookAsync(cancellationToken);
                if (next != timer.Period)
                {
                    timer.Period = next;
                }
            }
        }
        catch (Exception e) when (e is ObjectDisposedException or OperationCanceledException && cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }
    }

    private async Task<TimeSpan> TryLookAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await look(cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            failed(e);
            return pause;
        }
    }
}
