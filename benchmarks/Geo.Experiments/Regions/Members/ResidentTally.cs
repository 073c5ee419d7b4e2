namespace Geo.Experiments.Regions;

/// <summary>What became of the calls of a region.</summary>
/// <param name="Answered">How many were answered.</param>
/// <param name="Slowest">How long the slowest of them took.</param>
/// <param name="Failures">Those that were not, the first ones.</param>
internal sealed record ResidentTally(long Answered, TimeSpan Slowest, FailedCall[] Failures);
