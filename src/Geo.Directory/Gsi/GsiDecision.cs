namespace Geo.Directory;

/// <summary>What the replies of a round come to (GEO section 3.2, reply processing).</summary>
internal enum GsiDecisionKind
{
    /// <summary>The row belongs to another round by now: this one has no say.</summary>
    Superseded,

    /// <summary>Cancel and start over.</summary>
    Restart,

    /// <summary>Another cluster owns the grain, or has a Doubtful instance that this one is content with.</summary>
    Cache,

    /// <summary>Exclusive ownership is established.</summary>
    Own,

    /// <summary>Replies are missing: go on without exclusive ownership.</summary>
    Doubt,

    /// <summary>Replies are missing: do without an instance.</summary>
    Refuse,
}

/// <summary>The decision of a round.</summary>
/// <param name="Kind">What to do.</param>
/// <param name="Owner">The cluster of the instance, for <see cref="GsiDecisionKind.Cache"/>.</param>
/// <param name="OwnerNode">The instance's node, for <see cref="GsiDecisionKind.Cache"/>.</param>
/// <param name="Reason">Why the round did not succeed, for people.</param>
internal readonly record struct GsiDecision(
    GsiDecisionKind Kind, ClusterId Owner = default, string? OwnerNode = null, string? Reason = null);
