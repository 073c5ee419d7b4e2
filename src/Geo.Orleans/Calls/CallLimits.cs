using Geo.Directory;

namespace Geo.Orleans;

/// <summary>The limits of calls to other clusters, of a silo or of a client.</summary>
/// <param name="MaxRoutes">How many grains the cluster is remembered of.</param>
/// <param name="Following">How long a call follows its grain. What is out of reach is for silos to judge.</param>
/// <param name="Timeout">How long a call may look for its grain that does not say how long it waits.</param>
/// <param name="MaxBytes">The most bytes of a call's arguments and context, or of its answer.</param>
internal sealed record CallLimits(int MaxRoutes, CallFollowingLimits Following, TimeSpan Timeout, int MaxBytes)
{
    public const int DefaultMaxBytes = 32 * 1024 * 1024;

    /// <summary>What fits into one message between clusters together with its frame.</summary>
    public const int HighestMaxBytes = 63 * 1024 * 1024;
}
