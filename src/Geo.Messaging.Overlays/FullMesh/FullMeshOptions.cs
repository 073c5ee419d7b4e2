using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>Options of the overlay <c>full-mesh</c>.</summary>
public sealed record FullMeshOptions
{
    /// <summary>
    /// How often this peer begins to dial one more member, so that a new member is not met by all at once (Partisan's refresh interval);
    /// 100 ms by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan ConnectInterval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How often the whole membership is sent to one member, for what gossip of changes has missed; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan GossipInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The most members; 1,024 by default. Further ones that others know of are passed over.</summary>
    [Range(2, 100_000)]
    public int MaxMembers { get; init; } = 1024;
}
