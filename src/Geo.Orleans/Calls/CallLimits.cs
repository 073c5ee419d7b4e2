namespace Geo.Orleans;

/// <summary>The limits of calls to other clusters, of a silo or of a client.</summary>
/// <param name="MaxRoutes">How many grains the cluster is remembered of.</param>
/// <param name="MaxAttempts">How often one call may look for its grain anew.</param>
/// <param name="MaxBytes">The most bytes of a call's arguments and context, or of its answer.</param>
internal sealed record CallLimits(int MaxRoutes, int MaxAttempts, int MaxBytes)
{
    public const int DefaultMaxBytes = 32 * 1024 * 1024;

    /// <summary>What fits into one message between clusters together with its frame.</summary>
    public const int HighestMaxBytes = 63 * 1024 * 1024;
}
