namespace Geo.Experiments.Regions;

/// <summary>A call that failed.</summary>
/// <param name="Began">When it was made.</param>
/// <param name="Why">What the error said.</param>
internal sealed record FailedCall(long Began, string Why);
