using System.ComponentModel.DataAnnotations;

namespace Geo.Orleans;

/// <summary>Limits of a grain storage over a store that all clusters share. Checked when it is added.</summary>
public sealed record SharedGrainStorageOptions
{
    /// <summary>
    /// How long the store may take; 30 s by default. What takes longer is refused where it was a read, and unknown where it was a write.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many operations may be left to themselves because the store did not end them within <see cref="Timeout"/>; 1000 by default.
    /// While so many have not ended no further one is begun: reads are refused, and writes are unknown.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxAbandonedOperations { get; init; } = 1000;
}
