namespace Geo.Directory;

/// <summary>How far a cluster has come into the multi-cluster, or out of it.</summary>
internal enum ClusterStage
{
    /// <summary>It answers, and is asked, but owns nothing yet: some silos may not know of it.</summary>
    Joining,

    /// <summary>It takes part.</summary>
    Member,

    /// <summary>It answers, and is asked, gives away what it owns and becomes the owner of nothing more.</summary>
    Leaving,
}
