using System.ComponentModel.DataAnnotations;
using System.Net;

namespace Geo.Testing.Wan;

/// <summary>Where a <see cref="DelayedLink"/> listens, where it leads and how much it holds.</summary>
public sealed record DelayedLinkOptions
{
    internal const int LeastBytes = 256;

    /// <summary>Where the link leads: the listener behind it.</summary>
    [Required]
    public required IPEndPoint Target { get; init; }

    /// <summary>The loopback port on which the link listens; 0 (the default) takes a free one.</summary>
    [Range(0, IPEndPoint.MaxPort)]
    public int ListenPort { get; init; }

    /// <summary>How long a byte is under way in one direction: half of the round trip. 0 by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan OneWayDelay { get; init; }

    /// <summary>
    /// The most bytes under way in one direction of one connection, beyond which the sender is held back; 16 MiB by default. It allows
    /// this many bytes each one-way delay: at 72.5 ms about 230 MB a second. What arrives at once counts as no less than 256 bytes.
    /// </summary>
    [Range(64 * 1024, 1024 * 1024 * 1024)]
    public int MaxBytesUnderWay { get; init; } = 16 * 1024 * 1024;

    /// <summary>The most connections at once; 1,024 by default. One more is closed.</summary>
    [Range(1, 65_536)]
    public int MaxConnections { get; init; } = 1_024;
}
