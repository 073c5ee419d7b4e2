using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>How messages reach peers that the sender has no link with.</summary>
public sealed record RouterOptions
{
    /// <summary>The most links that a message crosses; 128 by default. Then it is dropped and counted.</summary>
    [Range(1, 255)]
    public int MaxHops { get; init; } = 128;

    /// <summary>The most peers whose direction, and whose latest message, is remembered; 8,192 by default.</summary>
    [Range(1, 1_000_000)]
    public int Routes { get; init; } = 8192;

    /// <summary>The most forwarded messages that are remembered, so that none is forwarded twice; 16,384 by default.</summary>
    [Range(1, 1_000_000)]
    public int Forwarded { get; init; } = 16_384;
}
