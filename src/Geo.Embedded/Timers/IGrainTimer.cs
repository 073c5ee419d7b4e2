namespace Geo.Embedded;

/// <summary>A timer of one activation; it ends with the activation, or when disposed.</summary>
public interface IGrainTimer : IDisposable
{
    /// <summary>Sets when the timer ticks next and how often after that.</summary>
    /// <param name="dueTime">The wait before the next tick; <see cref="Timeout.InfiniteTimeSpan"/> for never.</param>
    /// <param name="period">
    /// The wait between the end of one tick and the start of the next; <see cref="Timeout.InfiniteTimeSpan"/> for a single tick.
    /// </param>
    void Change(TimeSpan dueTime, TimeSpan period);
}
