using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging;

/// <summary>A named channel: connections of its own to every peer, and the bounds of their queues (Partisan section 4.2).</summary>
public sealed record ChannelOptions
{
    /// <summary>The name of the channel that carries every message that names no channel.</summary>
    public const string DefaultName = "default";

    /// <summary>The channel's name; <see cref="DefaultName"/> by default.</summary>
    [Required]
    [StringLength(63, MinimumLength = 1)]
    public string Name { get; init; } = DefaultName;

    /// <summary>
    /// The most connections, called lanes, that the channel has to each peer, from 1 to 64; the number of processors by default. Messages
    /// of one key stay in order whatever their number. The side that dials decides for the link.
    /// </summary>
    [Range(1, 64)]
    public int Parallelism { get; init; } = Math.Min(64, Environment.ProcessorCount);

    /// <summary>
    /// How messages use the lanes; <see cref="LaneUse.Adaptive"/> by default. A monotonic channel goes by key. The side that dials decides.
    /// </summary>
    [EnumDataType(typeof(LaneUse))]
    public LaneUse Lanes { get; init; }

    /// <summary>
    /// Of two channels that have large messages for one peer, the one with the higher number sends first, as long as it has any and
    /// whatever the number of its lanes; 0 by default. Small messages are not held up by large ones and know no priority.
    /// </summary>
    [Range(-1000, 1000)]
    public int Priority { get; init; }

    /// <summary>
    /// True when a newer one-way message makes an older one with the same service and partition key that still waits superfluous, so that
    /// only the newest leaves (Partisan's monotonic channels); false by default. Requests, replies and messages above 64 KiB are never
    /// replaced; a newer one above 64 KiB replaces an older one below.
    /// </summary>
    public bool Monotonic { get; init; }

    /// <summary>
    /// How long the messages of a monotonic channel are held back, so that newer ones can replace them: every key that has a message
    /// leaves once a window. Zero, the default, sends as soon as the connection takes it.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan MonotonicWindow { get; init; }

    /// <summary>What happens to a message that finds its lane full; <see cref="OverflowPolicy.Refuse"/> by default.</summary>
    [EnumDataType(typeof(OverflowPolicy))]
    public OverflowPolicy Overflow { get; init; }

    /// <summary>The most messages that may wait in one lane to one peer; 65,536 by default.</summary>
    [Range(1, int.MaxValue)]
    public int QueueMessages { get; init; } = 65_536;

    /// <summary>
    /// The most bytes that may wait in one lane to one peer; 32 MiB by default. One message is always let into an empty lane. Replies
    /// may use as much again, so that a full queue does not turn requests already handled into unknown ones.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int QueueBytes { get; init; } = 32 * 1024 * 1024;
}
