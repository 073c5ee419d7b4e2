using Geo.Messaging.Overlays;

namespace Geo.Testing.Conformance;

/// <summary>An overlay under test.</summary>
/// <param name="Overlay">Its name in the catalog of the world.</param>
/// <param name="OpenWorld">Opens a world of its own for a case.</param>
public sealed record OverlaySubject(string Overlay, Func<IOverlayWorld> OpenWorld)
{
    /// <summary>Tags for the client-server overlay: three servers, and clients.</summary>
    public static IReadOnlyList<string?> ThreeServers { get; } =
        [ClientServer.ServerTag, ClientServer.ServerTag, ClientServer.ServerTag, ClientServer.ClientTag];

    /// <summary>The tags of the first peers, in order; those after them have the last. None by default.</summary>
    public IReadOnlyList<string?> Tags { get; init; } = [null];

    /// <summary>
    /// True for an overlay that gossips nothing: a peer joins all others, not one contact, and is removed by each of them. False by
    /// default.
    /// </summary>
    public bool IsPairwise { get; init; }

    /// <summary>True when every peer is to see all others as members; false (the default) where views are partial.</summary>
    public bool HasFullViews { get; init; }

    /// <summary>How many peers a case starts; 8 by default.</summary>
    public int Peers { get; init; } = 8;

    /// <summary>How many messages a peer sends in a row; 50 by default.</summary>
    public int Messages { get; init; } = 50;
}
