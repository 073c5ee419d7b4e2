using System.Diagnostics;

namespace Geo.Experiments.Messaging.Load;

/// <summary>The time in which operations count.</summary>
/// <param name="Begin">Its first timestamp.</param>
/// <param name="End">The first timestamp after it.</param>
internal readonly record struct Window(long Begin, long End)
{
    public double Seconds => Stopwatch.GetElapsedTime(Begin, End).TotalSeconds;

    /// <summary>A window that begins after a while.</summary>
    public static Window After(double warmUpSeconds, double seconds)
    {
        var begin = Stopwatch.GetTimestamp() + (long)(warmUpSeconds * Stopwatch.Frequency);
        return new Window(begin, begin + (long)(seconds * Stopwatch.Frequency));
    }

    public bool Holds(long timestamp) => timestamp >= Begin && timestamp < End;

    public Task UntilBeginAsync() => UntilAsync(Begin);

    public Task UntilEndAsync() => UntilAsync(End);

    private static async Task UntilAsync(long timestamp)
    {
        for (var left = Left(timestamp); left > TimeSpan.Zero; left = Left(timestamp))
        {
            await Task.Delay(left + TimeSpan.FromMilliseconds(1));
        }
    }

    private static TimeSpan Left(long timestamp) => Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), timestamp);
}
