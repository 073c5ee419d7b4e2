using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>Where in the run a moment lies: warm-up, measured time, or after it.</summary>
internal sealed class RunClock(TimeProvider time, TimeSpan warmup, TimeSpan measured)
{
    private readonly long _start = time.GetTimestamp();

    public RunClock(TimeProvider time, RunOptions options)
        : this(time, TimeSpan.FromSeconds(options.Warmup), TimeSpan.FromSeconds(options.Seconds))
    {
    }

    public TimeProvider Time => time;

    public TimeSpan Warmup => warmup;

    public TimeSpan Measured => measured;

    public TimeSpan Whole => warmup + measured;

    /// <summary>Time since the robots started.</summary>
    public TimeSpan Now => time.GetElapsedTime(_start);

    /// <summary>True when what ends at this moment counts towards the figures.</summary>
    public bool IsMeasured(TimeSpan moment) => moment >= warmup && moment < Whole;

    /// <summary>Waits for a moment of the run; at once when it has passed.</summary>
    public Task UntilAsync(TimeSpan moment, CancellationToken cancellationToken)
    {
        var wait = moment - Now;
        return wait > TimeSpan.Zero ? Task.Delay(wait, time, cancellationToken) : Task.CompletedTask;
    }
}
