namespace Geo.Embedded;

/// <summary>Starts timers of grains.</summary>
/// <remarks>
/// A tick is a turn of its grain. An exception that leaves the callback is logged and the timer goes on. Timers that are due when their
/// activation ends do not tick any more.
/// </remarks>
public static class GrainTimerExtensions
{
    /// <summary>Starts a timer.</summary>
    /// <param name="grain">The grain.</param>
    /// <param name="callback">What to do at each tick; the token is set when the timer is disposed or the activation ends.</param>
    /// <param name="options">When to tick.</param>
    public static IGrainTimer RegisterGrainTimer(
        this Grain grain, Func<CancellationToken, Task> callback, GrainTimerCreationOptions options)
    {
        ArgumentNullException.ThrowIfNull(grain);
        ArgumentNullException.ThrowIfNull(callback);
        return grain.Activation.RegisterTimer(callback, options);
    }

    /// <summary>Starts a timer.</summary>
    public static IGrainTimer RegisterGrainTimer(this Grain grain, Func<Task> callback, GrainTimerCreationOptions options)
    {
        ArgumentNullException.ThrowIfNull(callback);
        return grain.RegisterGrainTimer(_ => callback(), options);
    }

    /// <summary>Starts a timer that hands a value to its callback.</summary>
    public static IGrainTimer RegisterGrainTimer<TState>(
        this Grain grain, Func<TState, CancellationToken, Task> callback, TState state, GrainTimerCreationOptions options)
    {
        ArgumentNullException.ThrowIfNull(callback);
        return grain.RegisterGrainTimer(token => callback(state, token), options);
    }

    /// <summary>Starts a timer that hands a value to its callback.</summary>
    public static IGrainTimer RegisterGrainTimer<TState>(
        this Grain grain, Func<TState, Task> callback, TState state, GrainTimerCreationOptions options)
    {
        ArgumentNullException.ThrowIfNull(callback);
        return grain.RegisterGrainTimer(_ => callback(state), options);
    }

    /// <summary>Starts a timer that does not interleave with calls.</summary>
    public static IGrainTimer RegisterGrainTimer(this Grain grain, Func<Task> callback, TimeSpan dueTime, TimeSpan period) =>
        grain.RegisterGrainTimer(callback, new GrainTimerCreationOptions(dueTime, period));

    /// <summary>Starts a timer that does not interleave with calls.</summary>
    public static IGrainTimer RegisterGrainTimer(
        this Grain grain, Func<CancellationToken, Task> callback, TimeSpan dueTime, TimeSpan period) =>
        grain.RegisterGrainTimer(callback, new GrainTimerCreationOptions(dueTime, period));
}
