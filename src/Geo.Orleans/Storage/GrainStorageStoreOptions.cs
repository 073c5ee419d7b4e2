using System.ComponentModel.DataAnnotations;

namespace Geo.Orleans;

/// <summary>Limits of a <see cref="GrainStorageConditionalStore"/>. Checked when the store is made.</summary>
public sealed record GrainStorageStoreOptions
{
    /// <summary>How long the grain storage may take; 30 s by default. A write that takes longer is unknown.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many operations may be left to themselves because the grain storage did not end them within <see cref="Timeout"/>; 1000 by
    /// default. While so many have not ended no further one is begun: it ends at once as unknown.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxAbandonedOperations { get; init; } = 1000;

    /// <summary>
    /// The largest value accepted, in bytes; 1 MiB by default. The grain storage may take less, which then ends as unknown.
    /// </summary>
    [Range(1, 512 * 1024 * 1024)]
    public int MaxValueBytes { get; init; } = 1024 * 1024;

    /// <summary>
    /// How many versions are remembered, up to about 400 bytes each; 10,000 by default. A write on one that is not costs a read before it.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxKnownVersions { get; init; } = 10_000;

    /// <summary>
    /// How many writes each value remembers the stamps of, 16 bytes each; 16 by default. A refused write is decided exactly unless so many
    /// others came between the version that it was made on and now; it is unknown then. The same for all who use the storage.
    /// </summary>
    [Range(2, 1000)]
    public int MaxStamps { get; init; } = 16;

    internal void Validate() => OptionsCheck.Check("The options of the store over a grain storage", [this]);
}
