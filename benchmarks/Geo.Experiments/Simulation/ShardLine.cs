namespace Geo.Experiments.Simulation;

/// <summary>
/// One line that a process of the search prints: so many more seeds passed, one that runs twice passed with a trace, or one failed.
/// </summary>
/// <param name="Passed">How many seeds passed since the last line.</param>
/// <param name="Steps">How many steps they took.</param>
/// <param name="SimulatedSeconds">How much virtual time passed in them.</param>
/// <param name="CpuSeconds">What they took of the process's processor time, its start included in the first line.</param>
/// <param name="Traces">
/// The hashes of their traces, combined: whatever the order of the seeds, and the same as long as no trace changes.
/// </param>
/// <param name="Repeated">The seed that runs twice, if the line is about one.</param>
/// <param name="Hash">The hash of its trace.</param>
/// <param name="Failed">The message of a seed that failed.</param>
internal sealed record ShardLine(
    int Passed = 0, long Steps = 0, double SimulatedSeconds = 0, double CpuSeconds = 0, ulong Traces = 0, int? Repeated = null,
    string? Hash = null,
    string? Failed = null)
{
    /// <summary>Two lines in one.</summary>
    public ShardLine With(ShardLine other) => new(
        Passed + other.Passed, Steps + other.Steps, SimulatedSeconds + other.SimulatedSeconds, CpuSeconds + other.CpuSeconds,
        unchecked(Traces + other.Traces));
}
