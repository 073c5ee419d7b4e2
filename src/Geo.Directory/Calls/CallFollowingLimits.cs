namespace Geo.Directory;

/// <summary>The limits of following a call, which are options of the hosts.</summary>
/// <param name="MaxAttempts">How often a call may look for its grain in vain before it is refused; at least 1.</param>
/// <param name="UnreachableAfter">
/// How long a cluster must be out of reach before optimistic grains there are given up; null for never.
/// </param>
internal sealed record CallFollowingLimits(int MaxAttempts, TimeSpan? UnreachableAfter = null);
