namespace Geo.Experiments.Regions;

/// <summary>A call that failed.</summary>
/// <param name="Ended">When it failed.</param>
/// <param name="Why">What the error said.</param>
internal sealed record FailedCall(long Ended, string Why);
