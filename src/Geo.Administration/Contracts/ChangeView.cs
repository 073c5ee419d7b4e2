namespace Geo.Administration;

/// <summary>A version of the configuration that the asked silo has begun to work with.</summary>
/// <param name="At">When, by its clock.</param>
/// <param name="Version">The version.</param>
/// <param name="What">What it changes, for people.</param>
internal sealed record ChangeView(DateTimeOffset At, long Version, string What);
