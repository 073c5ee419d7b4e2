namespace Geo.Experiments.Soak;

/// <summary>The time since a run began.</summary>
internal sealed class SoakClock(TimeProvider time)
{
    private readonly long _began = time.GetTimestamp();

    /// <summary>How long ago that was.</summary>
    public TimeSpan Elapsed => time.GetElapsedTime(_began);

    /// <summary>Waits until so much time has passed since then.</summary>
    public Task UntilAsync(TimeSpan at, CancellationToken cancellationToken) =>
        at - Elapsed is var wait && wait > TimeSpan.Zero ? Task.Delay(wait, time, cancellationToken) : Task.CompletedTask;
}
