namespace Geo.Directory;

/// <summary>What a cluster replied to a request (GEO section 3.2). The numbers travel: they never change.</summary>
internal enum GsiReplyKind : byte
{
    /// <summary>No reply, or one that settles nothing: the cluster could not read or write its own row.</summary>
    Missing = 0,

    /// <summary>Pass: nothing stands in the way.</summary>
    Pass = 1,

    /// <summary>
    /// Fail, though not for an owner: the replier's own request has precedence, or the requester is not in its configuration.
    /// </summary>
    Fail = 2,

    /// <summary>Fail, for the replier owns the grain.</summary>
    InstanceAt = 3,

    /// <summary>
    /// Refused for now: the cluster is within reach and has no room for the request. Nothing is known of the grain there, and the round
    /// starts over. A silo of a version that does not know it takes it for <see cref="Missing"/>.
    /// </summary>
    Busy = 4,
}
