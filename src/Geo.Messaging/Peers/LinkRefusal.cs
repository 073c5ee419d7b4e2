namespace Geo.Messaging;

/// <summary>Why a handshake was refused. The numbers travel on the wire.</summary>
public enum RefusalReason
{
    /// <summary>A reason that this version does not know.</summary>
    Other = 0,

    /// <summary>The two sides have no wire version in common.</summary>
    WireVersion = 1,

    /// <summary>What arrived is not a Geo handshake, or a damaged one.</summary>
    Malformed = 2,

    /// <summary>Two different clusters claim one cluster id.</summary>
    DuplicateClusterId = 3,

    /// <summary>The peer that answered belongs to another cluster than the one asked for.</summary>
    WrongCluster = 4,

    /// <summary>A newer start of a peer with this id is connected, or one with another certificate.</summary>
    PeerIdInUse = 5,

    /// <summary>The peer dialled itself.</summary>
    Self = 6,

    /// <summary>The pair is connected already; not a fault.</summary>
    AlreadyConnected = 7,

    /// <summary>The peer has as many connections as it allows.</summary>
    TooManyConnections = 8,

    /// <summary>The peer is stopping.</summary>
    Stopping = 9,

    /// <summary>A further connection of a link reached a peer that does not know the link: another one, or too late.</summary>
    UnknownLink = 10,

    /// <summary>
    /// TLS failed: a certificate is missing, expired, for another host or of an unknown authority, or only one side uses TLS; or it does
    /// not allow its holder the name or the cluster that it claims (<see cref="CertifiedPeer"/>).
    /// </summary>
    Untrusted = 11,

    /// <summary>
    /// What the two hosts tell of themselves (<see cref="IPeerFacts"/>) does not go together, such as stores that are not shared.
    /// </summary>
    Unfit = 12,
}

/// <summary>A handshake that failed because one side refused the other.</summary>
/// <param name="Reason">Why, for programs.</param>
/// <param name="Message">Why, where and what to do, for people.</param>
/// <param name="Remote">The other side's address.</param>
/// <param name="RefusedByRemote">True when the other side refused; false when this node did.</param>
public sealed record LinkRefusal(RefusalReason Reason, string Message, string Remote, bool RefusedByRemote);
