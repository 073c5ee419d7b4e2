using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging.Overlays;

/// <summary>
/// Which overlay a peer runs, and its limits. The choice is a text, so that a configuration file makes it (Partisan ATC'19 section 3).
/// </summary>
public sealed record OverlayOptions
{
    /// <summary>
    /// The overlay's name in the <see cref="OverlayCatalog"/>: <c>static</c>, <c>full-mesh</c> (the default), <c>client-server</c>,
    /// <c>hyparview</c>, or one of your own. All peers must name the same.
    /// </summary>
    [Required]
    [StringLength(63, MinimumLength = 1)]
    public string Overlay { get; init; } = Overlays.FullMesh.Name;

    /// <summary>
    /// Where others reach this peer; where the node listens when null (the default). Needed behind NAT or when it listens on all
    /// interfaces.
    /// </summary>
    public PeerAddress? Advertise { get; init; }

    /// <summary>
    /// What the overlay is told of this peer; nothing by default. The client-server overlay knows <c>server</c> and <c>client</c>.
    /// </summary>
    [StringLength(63)]
    public string? Tag { get; init; }

    /// <summary>The channel that carries the overlay's frames; the default channel by default.</summary>
    [Required]
    public string Channel { get; init; } = ChannelOptions.DefaultName;

    /// <summary>How often a strategy is told the time; 100 ms by default. Its own intervals are as exact as this.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:01:00")]
    public TimeSpan TickInterval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The most frames that wait to be handled; 65,536 by default. One more is dropped and counted.</summary>
    [Range(1, int.MaxValue)]
    public int WaitingFrames { get; init; } = 65_536;

    /// <summary>The most bytes of frames that wait to be handled, or one frame; 64 MiB by default. More is dropped and counted.</summary>
    [Range(1024, int.MaxValue)]
    public int WaitingBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>Options of the overlay <c>full-mesh</c>, which the servers of <c>client-server</c> use as well.</summary>
    [Required]
    public FullMeshOptions FullMesh { get; init; } = new();

    /// <summary>Options of the overlay <c>client-server</c>.</summary>
    [Required]
    public ClientServerOptions ClientServer { get; init; } = new();

    /// <summary>Options of the overlay <c>hyparview</c>.</summary>
    [Required]
    public HyParViewOptions HyParView { get; init; } = new();

    /// <summary>How broadcasts travel.</summary>
    [Required]
    public PlumtreeOptions Broadcast { get; init; } = new();

    /// <summary>How messages reach peers without a link.</summary>
    [Required]
    public RouterOptions Routing { get; init; } = new();

    /// <exception cref="GeoConfigurationException">An option is out of range; the message names all that are.</exception>
    internal void Check(PeerId peer) => OptionsCheck.Check(
        $"The overlay options of peer '{peer}'",
        [this, FullMesh, ClientServer, HyParView, Broadcast, Routing],
        HyParView is { } view && view.ActiveMin > view.ActiveMax
            ? "HyParView.ActiveMin must not be more than HyParView.ActiveMax"
            : null);
}
