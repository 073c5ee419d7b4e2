namespace Geo.Directory;

/// <summary>The directory's chances: ids of rounds and jitter, from the one random source it was given.</summary>
internal sealed class Draws(Random random)
{
    // What of an epoch is chance; the rest is a time.
    private const int Draw = 1024;

    private readonly Lock _lock = new();

    /// <summary>An id that was not drawn before, for all practical purposes; never 0.</summary>
    public long Id()
    {
        lock (_lock)
        {
            return random.NextInt64(1, long.MaxValue);
        }
    }

    /// <summary>
    /// The name of a tenancy: above that of the one before it, as far as that is known, and above all that were drawn at an earlier time.
    /// No two silos draw the same.
    /// </summary>
    /// <param name="last">That of the tenancy before it; 0 for none.</param>
    /// <param name="now">The time, by this silo's wall clock.</param>
    public long Epoch(long last, DateTimeOffset now) =>
        Math.Max((OwnershipRules.EpochAt(now) * Draw) + (Id() % Draw), last + 1);

    /// <summary>
    /// The name of a tenancy that was drawn before, as it is when the tenancy begins only now: whatever ended in between had a lower one.
    /// </summary>
    public static long EpochFrom(long drawn, DateTimeOffset now) => Math.Max(drawn, (OwnershipRules.EpochAt(now) * Draw) + (drawn % Draw));

    /// <summary>A duration from the upper half of what is given, so that rivals do not meet again.</summary>
    public TimeSpan Jitter(TimeSpan longest)
    {
        lock (_lock)
        {
            return longest * (0.5 + (random.NextDouble() / 2));
        }
    }

    /// <summary>
    /// The wait before the n-th restart (from 0): none for the first, for who has won a race answers when it has; then doubling, bounded,
    /// jittered.
    /// </summary>
    public TimeSpan Backoff(int restart, GlobalDirectoryOptions options)
    {
        if (restart == 0)
        {
            return TimeSpan.Zero;
        }

        lock (_lock)
        {
            return BackOff.AfterFailures(restart, options.RestartBackoff, options.MaxRestartBackoff, random);
        }
    }
}
