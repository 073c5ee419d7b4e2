using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency.Lattices;

/// <summary>What a form may be at most; checked before anything is allocated for it.</summary>
public sealed record LatticeLimits
{
    /// <summary>The limits where none are given.</summary>
    public static LatticeLimits Default { get; } = new();

    /// <summary>The length of a form in bytes; 16 MiB by default.</summary>
    [Range(1, int.MaxValue)]
    public int MaxBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>
    /// How deep lattices may lie in lattices; 32 by default. JSON may be four times as deep, because lists count there.
    /// </summary>
    [Range(1, 1_000)]
    public int MaxDepth { get; init; } = 32;
}
