namespace Geo.Testing;

/// <summary>How one run of a simulation ended.</summary>
/// <param name="Seed">The seed of its choices.</param>
/// <param name="Failure">What broke, for people; null when nothing did.</param>
/// <param name="Cause">The exception behind the failure, if there is one.</param>
/// <param name="At">The virtual time of its end.</param>
/// <param name="Steps">How many steps ran.</param>
/// <param name="Hash">The hash of its trace.</param>
/// <param name="Record">Its choices.</param>
/// <param name="Story">Its trace in short; empty unless it was asked for.</param>
internal sealed record RunEnd(
    SimulationSeed Seed, string? Failure, Exception? Cause, TimeSpan At, long Steps, string Hash, ChoiceRecord Record,
    IReadOnlyList<string> Story)
{
    /// <summary>
    /// Names what broke whatever the grains, times and counts involved: the failure's words without numbers. Two runs fail alike when these
    /// are equal.
    /// </summary>
    public string? Invariant => Failure is null ? null : string.Concat(Failure.Where(c => !char.IsDigit(c)));

    /// <summary>Takes the end of a world that has run.</summary>
    public static RunEnd Of(SimulationWorld world, Exception? cause) => new(
        world.Choices.Seed, world.Failure ?? cause?.Message.ReplaceLineEndings(" "), cause, world.Time.Elapsed, world.Scheduler.Steps,
        world.Trace.Hash,
        world.Choices.Record(), world.Trace.Story);
}
