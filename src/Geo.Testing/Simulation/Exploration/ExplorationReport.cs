namespace Geo.Testing;

/// <summary>What an exploration went through without a failure.</summary>
/// <param name="Seeds">How many seeds ran.</param>
/// <param name="Steps">How many steps they took.</param>
/// <param name="Time">How much virtual time passed in them.</param>
public sealed record ExplorationReport(int Seeds, long Steps, TimeSpan Time);
