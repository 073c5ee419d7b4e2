using System.ComponentModel.DataAnnotations;

namespace Geo.Testing;

/// <summary>Limits of a <see cref="GeoSimulation"/>.</summary>
public sealed record GeoSimulationOptions
{
    /// <summary>How many steps one run may take before it counts as endless; 1,000,000 by default.</summary>
    [Range(1, int.MaxValue)]
    public int MaxSteps { get; init; } = 1_000_000;

    /// <summary>What is spent on making a failing schedule shorter.</summary>
    [Required]
    public ShrinkOptions Shrink { get; init; } = new();
}
