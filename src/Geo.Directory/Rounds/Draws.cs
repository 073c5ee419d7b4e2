namespace Geo.Directory;

/// <summary>The directory's chances: ids of rounds and jitter, from the one random source it was given.</summary>
internal sealed class Draws(Random random)
{
    private readonly Lock _lock = new();

    /// <summary>An id that was not drawn before, for all practical purposes; never 0.</summary>
    public long Id()
    {
        lock (_lock)
        {
            return random.NextInt64(1, long.MaxValue);
        }
    }

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
