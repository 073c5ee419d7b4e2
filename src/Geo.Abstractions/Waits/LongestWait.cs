namespace Geo;

/// <summary>
/// The longest time that the timers of .NET wait for: 49 days. Whatever is given a longer one (<c>CancellationTokenSource</c>,
/// <c>Task.Delay</c>, <c>WaitAsync</c>, <c>ITimer</c>) throws. Settings have ranges that are checked at start; other times that users give
/// pass through here.
/// </summary>
internal static class LongestWait
{
    /// <summary>The limit.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    /// <summary>A time that every timer takes: the one given, or the end of the range that it lies beyond.</summary>
    public static TimeSpan Clamp(TimeSpan wait) => wait > Limit ? Limit : wait > TimeSpan.Zero ? wait : TimeSpan.Zero;
}
