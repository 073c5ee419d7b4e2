namespace Geo;

/// <summary>A silo's permission to serve single-instance grains, which it renews every third of its duration.</summary>
/// <param name="Age">How long ago the last renewal was asked for; at <paramref name="Duration"/> and beyond the silo serves none.</param>
/// <param name="Duration">How long a renewal lasts.</param>
/// <param name="IsFenced">True when the cluster has declared this silo dead: it never holds the lease again.</param>
public sealed record LeaseStatus(TimeSpan Age, TimeSpan Duration, bool IsFenced)
{
    /// <summary>True while the silo may serve single-instance grains.</summary>
    public bool IsHeld => !IsFenced && Age < Duration;
}
