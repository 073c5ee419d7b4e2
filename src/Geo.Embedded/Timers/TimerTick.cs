using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>One tick of a timer.</summary>
internal sealed class TimerTick(ActivationTimer timer, GrainKey grain, ILogger logger) : Turn
{
    public override bool IsWanted() => !timer.IsDisposed;

    public override void Expire() => throw new InvalidOperationException("A tick has no deadline.");

    public override void Unserved(GrainKey _) => timer.TickEnded();

    public override async ValueTask RunAsync(object grainObject)
    {
        var frame = new CallFrame(this, chain: null);
        CallScope.Enter(CallScope.NoValues, frame);
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
            frame.End();
            timer.TickEnded();
        }
    }
}
