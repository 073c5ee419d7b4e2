using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>How messages to one peer find their way, and how long they are tried.</summary>
public sealed record RouterOptions
{
    /// <summary>The most links that a message crosses; 128 by default. Then it is dropped and counted.</summary>
    [Range(1, 255)]
    public int MaxHops { get; init; } = 128;

    /// <summary>
    /// The most peers whose direction, and whose latest message, is remembered; 8,192 by default. The one not heard for longest gives way.
    /// </summary>
    [Range(1, 1_000_000)]
    public int Routes { get; init; } = 8192;

    /// <summary>The most forwarded messages that are remembered, so that none is forwarded twice; 16,384 by default.</summary>
    [Range(1, 1_000_000)]
    public int Forwarded { get; init; } = 16_384;

    /// <summary>
    /// How long a message is unacknowledged before it is sent again, over every link; 1 s by default, then twice as long each time. More
    /// than a round trip and two <see cref="OverlayOptions.TickInterval"/>.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan RetryInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a message is tried before it is given up and counted; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan DeliveryTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The most messages of this peer that are not acknowledged yet, and the most from others that wait for an earlier one; 65,536 each by
    /// default. One more of this peer is refused, one more of another is dropped and sent again by its sender.
    /// </summary>
    [Range(1, 10_000_000)]
    public int HeldMessages { get; init; } = 65_536;

    /// <summary>The most bytes of payload of those messages; 64 MiB each by default.</summary>
    [Range(1024, int.MaxValue)]
    public int HeldBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>The most such messages to, and from, one peer; 8,192 by default.</summary>
    [Range(1, 10_000_000)]
    public int HeldMessagesPerPeer { get; init; } = 8192;

    /// <summary>The most bytes of payload of those; 16 MiB by default.</summary>
    [Range(1024, int.MaxValue)]
    public int HeldBytesPerPeer { get; init; } = 16 * 1024 * 1024;
}
