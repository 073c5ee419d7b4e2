using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>Options of the overlay <c>client-server</c>.</summary>
public sealed record ClientServerOptions
{
    /// <summary>
    /// How many servers a client keeps links with, if there are as many; 2 by default, so that it is not cut off when one is lost.
    /// </summary>
    [Range(1, 100)]
    public int ServersPerClient { get; init; } = 2;

    /// <summary>How long a client dials a server before it tries another; 5 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:10:00")]
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(5);
}
