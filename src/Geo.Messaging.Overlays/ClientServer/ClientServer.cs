namespace Geo.Messaging.Overlays;

/// <summary>
/// The overlay <c>client-server</c> (Partisan ATC'19 section 3.1): members tagged <see cref="ServerTag"/> form a full mesh, those tagged
/// <see cref="ClientTag"/> are linked with servers only. Servers pass on what clients send each other.
/// </summary>
/// <remarks>
/// Servers know the servers and the clients linked with them, clients know the servers. A client is a member while it is linked: one that
/// is lost is forgotten at once, and any number of short-lived clients leaves nothing behind.
/// </remarks>
public static class ClientServer
{
    /// <summary>What a configuration calls it.</summary>
    public const string Name = "client-server";

    /// <summary>The tag of a server.</summary>
    public const string ServerTag = "server";

    /// <summary>The tag of a client.</summary>
    public const string ClientTag = "client";

    internal static IMembershipStrategy Create(OverlayOptions options, OverlayMember self) => self.Tag switch
    {
        ServerTag when self.Address is null => throw new GeoConfigurationException(
            $"Peer '{self.Peer}' is a server of the overlay '{Name}' and does not listen: set MessagingOptions.ListenOn."),
        ServerTag => new ClientServerServer(new FullMesh(self, options.FullMesh)),
        ClientTag => new ClientServerClient(self, options.ClientServer),
        _ => throw new GeoConfigurationException(
            $"Peer '{self.Peer}' runs the overlay '{Name}' with the tag '{self.Tag}': set OverlayOptions.Tag to '{ServerTag}' or "
            + $"'{ClientTag}'."),
    };
}
