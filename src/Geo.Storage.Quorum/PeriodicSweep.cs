using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>Sweeps again and again, in turn with the other processes, until it is disposed of.</summary>
internal sealed class PeriodicSweep : IDisposable
{
    private readonly QuorumConditionalStore _store;
    private readonly SweepTurns _turns;
    private readonly QuorumStoreOptions _options;
    private readonly TimeProvider _time;
    private readonly Random _random;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();

    public PeriodicSweep(
        QuorumConditionalStore store, SweepTurns turns, TimeSpan every, QuorumStoreOptions options, TimeProvider time, Random random,
        ILogger logger)
    {
        (_store, _turns, _options, _time, _random, _logger) = (store, turns, options, time, random, logger);
        _ = RunAsync(every, _stop.Token);
    }

    public void Dispose() => _stop.Cancel();

    private async Task RunAsync(TimeSpan every, CancellationToken stop)
    {
        // The first ones are spread, since all processes may start at the same time.
        for (var pause = every * _random.NextDouble(); ; pause = every * (0.75 + (_random.NextDouble() / 2)))
        {
            try
            {
                await Task.Delay(pause, _time, stop);
                if (await IsOursAsync(stop))
                {
                    await _store.SweepAsync(stop);
                }
                else
                {
                    await _store.CarryOnByForceAsync(stop);
                }
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e)
            {
                _logger.SweepFailed(_options.Service!, e);
            }
        }
    }

    private async Task<bool> IsOursAsync(CancellationToken stop)
    {
        using var limit = new CancellationTokenSource(_options.OperationTimeout, _time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stop);
        try
        {
            return await _turns.TakeAsync(both.Token);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            // No majority answers: there is nothing to sweep now.
            return false;
        }
    }
}
