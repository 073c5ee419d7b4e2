using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging;

/// <summary>A named channel and the bounds of its queues (Partisan section 4.2).</summary>
public sealed record ChannelOptions
{
    /// <summary>The name of the channel that carries every message that names no channel.</summary>
    public const string DefaultName = "default";

    /// <summary>The channel's name; <see cref="DefaultName"/> by default.</summary>
    [Required]
    [StringLength(63, MinimumLength = 1)]
    public string Name { get; init; } = DefaultName;

    /// <summary>The most messages that may wait in one lane to one peer; 65,536 by default. One more is refused.</summary>
    [Range(1, int.MaxValue)]
    public int QueueMessages { get; init; } = 65_536;

    /// <summary>
    /// The most bytes that may wait in one lane to one peer; 32 MiB by default. One message is always let into an empty lane. Replies
    /// may use as much again, so that a full queue does not turn requests already handled into unknown ones.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int QueueBytes { get; init; } = 32 * 1024 * 1024;
}
