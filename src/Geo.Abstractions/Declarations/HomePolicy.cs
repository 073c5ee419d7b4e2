namespace Geo;

/// <summary>Where the one instance of a <see cref="GlobalSingleInstanceAttribute"/> class lives.</summary>
public enum HomePolicy
{
    /// <summary>In the cluster of its first caller, until it ends or is moved by hand: as without <see cref="HomeAttribute"/>.</summary>
    FirstCaller,

    /// <summary>
    /// In a cluster by name. Begun elsewhere, as while that cluster is out of reach, it goes there within two seconds of when it can.
    /// </summary>
    PreferredCluster,

    /// <summary>
    /// With its callers: it moves to a cluster that makes more than twice as many of its calls as the cluster in which it is, by more than
    /// chance.
    /// </summary>
    FollowsCallers,
}
