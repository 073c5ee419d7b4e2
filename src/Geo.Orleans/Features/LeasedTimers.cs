using Microsoft.Extensions.DependencyInjection;
using Orleans.Timers;

namespace Geo.Orleans;

/// <summary>
/// The timers of grains, which are not calls and so do not pass by the lease: those of single-instance grains tick only while the silo
/// holds it. A silo that was frozen while others took over its grains would otherwise let the old instances act.
/// </summary>
/// <param name="timers">Orleans' own.</param>
/// <param name="services">Finds the lease when a timer is registered; there are timers before there is a store for it.</param>
internal sealed class LeasedTimers(ITimerRegistry timers, IServiceProvider services) : ITimerRegistry
{
    [Obsolete("As Orleans has it.")]
    public IDisposable RegisterTimer(
        IGrainContext grainContext, Func<object?, Task> callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        timers.RegisterTimer(
            grainContext, GuardFor(grainContext) is { } guard ? held => ServeAsync(guard, () => callback(held)) : callback, state, dueTime,
            period);

    public IGrainTimer RegisterGrainTimer<TState>(
        IGrainContext grainContext, Func<TState, CancellationToken, Task> callback, TState state, GrainTimerCreationOptions options) =>
        timers.RegisterGrainTimer(
            grainContext,
            GuardFor(grainContext) is { } guard
                ? (held, cancelled) => ServeAsync(guard, () => callback(held, cancelled))
                : callback,
            state, options);

    /// <summary>A tick of a silo that stood still waits for its next renewal, for it may be the only one that there is.</summary>
    private static async Task ServeAsync(ILeaseGuard guard, Func<Task> callback)
    {
        if (await guard.MayServeSoonAsync())
        {
            await callback();
        }
    }

    /// <summary>Null for timers of other grains and of the silo itself.</summary>
    private ILeaseGuard? GuardFor(IGrainContext grain) =>
        grain is null || grain.GrainId.Type.IsSystemTarget()
            ? null
            : services.GetRequiredService<TenancyGuards>().For(grain.GrainId);
}
