using System.ComponentModel.DataAnnotations;

namespace Geo.Testing;

/// <summary>How much is spent on making a failing schedule shorter.</summary>
public sealed record ShrinkOptions
{
    /// <summary>How many runs it may take; 1,000 by default, 0 for none.</summary>
    [Range(0, 1_000_000)]
    public int MaxRuns { get; init; } = 1_000;

    /// <summary>How long it may take, in real time; 30 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxTime { get; init; } = TimeSpan.FromSeconds(30);
}
