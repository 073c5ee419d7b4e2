using System.Globalization;

namespace Geo.Experiments.Simulation;

/// <summary>How far a search has come.</summary>
/// <param name="Sum">What the processes have told.</param>
/// <param name="Seeds">Seeds in all.</param>
/// <param name="Repeated">Seeds that ran twice, with one trace.</param>
/// <param name="Elapsed">Real time.</param>
internal sealed record SearchProgress(ShardLine Sum, int Seeds, int Repeated, TimeSpan Elapsed)
{
    /// <inheritdoc/>
    public override string ToString()
    {
        var seconds = Math.Max(0.001, Elapsed.TotalSeconds);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Sum.Passed:n0} of {Seeds:n0} seeds in {Elapsed:hh\\:mm\\:ss}, {Sum.Passed / seconds:n0}/s, "
            + $"{Sum.Passed / Math.Max(0.001, Sum.CpuSeconds):n1} a CPU second, {Sum.SimulatedSeconds / 86400:n1} days simulated "
            + $"({Sum.SimulatedSeconds / seconds:n0}x real time), {Sum.Steps / 1e6:n1} million steps, traces {Sum.Traces:x16}, "
            + $"{Repeated:n0} seeds twice with one trace");
    }
}
