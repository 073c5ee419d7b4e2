using System.Globalization;

namespace Geo.Experiments.Simulation;

/// <summary>How far a search has come.</summary>
/// <param name="Passed">Seeds that have passed.</param>
/// <param name="Seeds">Seeds in all.</param>
/// <param name="Repeated">Seeds whose traces were the same in two processes.</param>
/// <param name="SimulatedSeconds">Virtual time that has passed in them.</param>
/// <param name="Steps">Steps that they took.</param>
/// <param name="Elapsed">Real time.</param>
/// <param name="Processes">How many processes search.</param>
internal sealed record SearchProgress(int Passed, int Seeds, int Repeated, double SimulatedSeconds, long Steps, TimeSpan Elapsed, int Processes)
{
    /// <inheritdoc/>
    public override string ToString()
    {
        var seconds = Math.Max(0.001, Elapsed.TotalSeconds);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Passed:n0} of {Seeds:n0} seeds in {Elapsed:hh\\:mm\\:ss}, {Passed / seconds:n0}/s ({Passed / seconds / Processes:n0} a process), "
            + $"{SimulatedSeconds / 86400:n1} days simulated ({SimulatedSeconds / seconds:n0}x real time), {Steps / 1e6:n1} million steps, "
            + $"{Repeated:n0} seeds with one trace in two processes");
    }
}
