namespace Geo.Testing;

/// <summary>What one run of a <see cref="MultiClusterSimulation"/> went through, and that all its invariants held.</summary>
/// <param name="Seed">The seed.</param>
/// <param name="Faults">The kinds of faults that the seed chose.</param>
/// <param name="Clusters">How many clusters there were.</param>
/// <param name="Steps">How many steps ran.</param>
/// <param name="Time">How much virtual time passed.</param>
/// <param name="TraceHash">The hash of the trace: equal for equal seeds.</param>
/// <param name="Trace">The trace; empty unless it was kept.</param>
/// <param name="Counts">What happened how often.</param>
public sealed record SimulationReport(
    SimulationSeed Seed, SimulatedFaults Faults, int Clusters, long Steps, TimeSpan Time, string TraceHash, string Trace,
    SimulationCounts Counts);
