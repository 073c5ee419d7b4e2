namespace Geo.Embedded;

/// <summary>The timers of one activation, which end with it.</summary>
internal sealed class ActivationTimers(Activation activation)
{
    private readonly Lock _gate = new();
    private HashSet<ActivationTimer>? _timers;
    private bool _isClosed;

    public Activation Activation => activation;

    /// <summary>Starts a timer.</summary>
    /// <exception cref="InvalidOperationException">The activation has ended.</exception>
    public IGrainTimer Register(Func<CancellationToken, Task> callback, GrainTimerCreationOptions options)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                throw new InvalidOperationException($"{activation.Key} is being deactivated and starts no more timers.");
            }

            var timer = new ActivationTimer(this, callback, options, activation.Silo.Time, activation.Silo.Logger);
            (_timers ??= []).Add(timer);
            return timer;
        }
    }

    /// <summary>A timer was disposed by its grain.</summary>
    public void Forget(ActivationTimer timer)
    {
        lock (_gate)
        {
            _timers?.Remove(timer);
        }
    }

    /// <summary>Ends all timers; no more are started.</summary>
    public void Close()
    {
        ActivationTimer[] timers;
        lock (_gate)
        {
            _isClosed = true;
            timers = _timers is null ? [] : [.. _timers];
        }

        foreach (var timer in timers)
        {
            try
            {
                timer.Dispose();
            }
            catch (AggregateException e)
            {
                // What the grain registered with the timer's token threw; the rest of the deactivation must go on.
                RuntimeLog.DeactivationFailed(activation.Silo.Logger, e, activation.Key);
            }
        }
    }
}
