using System.ComponentModel.DataAnnotations;

namespace Geo.Emulation;

/// <summary>How many sites a <see cref="TunnelRouter"/> joins, how far they are apart and how much is under way between them.</summary>
public sealed record TunnelRouterOptions
{
    /// <summary>The number of sites, each a network namespace of its own; 2 by default.</summary>
    [Range(2, 200)]
    public int Sites { get; init; } = 2;

    /// <summary>How long a packet is under way: half of the round trip. 0 by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan OneWayDelay { get; init; }

    /// <summary>
    /// The most bytes from one site that are under way; 256 MiB by default. When there are as many, packets wait in the site's device
    /// queue of <see cref="DeviceQueuePackets"/>, and what that cannot hold the kernel drops, as a router's full queue does.
    /// </summary>
    [Range(1024 * 1024, 1024 * 1024 * 1024)]
    public int MaxBytesUnderWay { get; init; } = 256 * 1024 * 1024;

    /// <summary>The packets that wait at most in a site's device; 10,000 by default.</summary>
    [Range(1, 1_000_000)]
    public int DeviceQueuePackets { get; init; } = 10_000;
}
