namespace Geo.Consistency;

/// <summary>
/// A moment by both clocks of a process: the monotonic one, which stands still while a machine is suspended, and the wall clock, which may
/// be set. What has passed since is what the one says that has moved further: never too little while one of them runs.
/// </summary>
/// <param name="Monotonic">By the monotonic clock.</param>
/// <param name="Wall">By the wall clock.</param>
internal readonly record struct TwoClocks(TimeSpan Monotonic, TimeSpan Wall)
{
    internal static TwoClocks Of(TimeProvider time) =>
        new(time.GetElapsedTime(0, time.GetTimestamp()), TimeSpan.FromTicks(time.GetUtcNow().UtcTicks));

    internal TimeSpan Since(TwoClocks earlier)
    {
        var (monotonic, wall) = (Monotonic - earlier.Monotonic, Wall - earlier.Wall);
        return wall > monotonic && !ReadCopyRules.IsOff(ReadCopyRule.BothClocks) ? wall : monotonic;
    }

    internal TwoClocks Before(TimeSpan time) => new(Monotonic - time, Wall - time);

    /// <summary>True when it comes after another moment of this process.</summary>
    internal bool IsAfter(TwoClocks other) => Monotonic > other.Monotonic;
}
