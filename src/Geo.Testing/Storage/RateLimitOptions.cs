using System.ComponentModel.DataAnnotations;

namespace Geo.Testing.Storage;

/// <summary>How many operations a <see cref="RateLimitedConditionalStore"/> serves.</summary>
public sealed record RateLimitOptions
{
    /// <summary>The most operations served in a second; 1,000 by default.</summary>
    [Range(1, 1_000_000)]
    public int OperationsPerSecond { get; init; } = 1_000;

    /// <summary>
    /// The most operations that may wait; 10,000 by default. One more is unknown ("busy") at once, certainly without effect.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxQueued { get; init; } = 10_000;
}
