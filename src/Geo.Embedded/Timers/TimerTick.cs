using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>One tick of a timer.</summary>
internal sealed class TimerTick(ActivationTimer timer, GrainKey grain, ILogger logger) : ITurn
{
    public bool IsWanted() => !timer.IsDisposed;

    public async ValueTask RunAsync(object grainObject)
    {
        try
        {
            await timer.Callback(timer.Stopping);
        }
        catch (OperationCanceledException) when (timer.IsDisposed)
        {
            // The callback heeded the token that the disposal set.
        }
        catch (Exception e)
        {
            RuntimeLog.TimerFailed(logger, e, grain);
        }
        finally
        {
            timer.TickEnded();
        }
    }
}
