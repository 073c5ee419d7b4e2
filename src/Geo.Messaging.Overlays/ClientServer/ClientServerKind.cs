namespace Geo.Messaging.Overlays;

/// <summary>What the members of the client-server overlay tell each other. The numbers travel on the wire.</summary>
internal enum ClientServerKind : byte
{
    /// <summary>Between servers: a message of their mesh.</summary>
    Mesh = 1,

    /// <summary>To a client: entries of the set of servers.</summary>
    Servers = 2,

    /// <summary>To a server: the client that says it leaves.</summary>
    Goodbye = 3,

    /// <summary>To a server: a peer is to be removed.</summary>
    Remove = 4,

    /// <summary>To a client: it has been removed.</summary>
    Removed = 5,
}
