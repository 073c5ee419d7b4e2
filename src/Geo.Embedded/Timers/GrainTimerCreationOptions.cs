using System.Diagnostics.CodeAnalysis;

namespace Geo.Embedded;

/// <summary>How a grain timer ticks.</summary>
public readonly record struct GrainTimerCreationOptions
{
    /// <summary>Creates options to be filled by an object initialiser.</summary>
    public GrainTimerCreationOptions()
    {
    }

    /// <summary>Creates the options of a timer that waits for the grain's calls and does not keep the grain active.</summary>
    /// <param name="dueTime">The wait before the first tick.</param>
    /// <param name="period">The wait between the end of one tick and the start of the next.</param>
    [SetsRequiredMembers]
    public GrainTimerCreationOptions(TimeSpan dueTime, TimeSpan period) => (DueTime, Period) = (dueTime, period);

    /// <summary>The wait before the first tick; <see cref="Timeout.InfiniteTimeSpan"/> for never.</summary>
    public required TimeSpan DueTime { get; init; }

    /// <summary>
    /// The wait between the end of one tick and the start of the next; <see cref="Timeout.InfiniteTimeSpan"/> for a single tick.
    /// </summary>
    public required TimeSpan Period { get; init; }

    /// <summary>True when ticks may run between the turns of calls; false (the default) when a tick waits its turn like a call.</summary>
    public bool Interleave { get; init; }

    /// <summary>True when a tick counts as use of the grain and so puts off its idle deactivation; false by default.</summary>
    public bool KeepAlive { get; init; }
}
