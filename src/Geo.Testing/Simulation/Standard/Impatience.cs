using Geo.Directory;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Settings of silos with which much goes wrong, and is tried again, within a short simulated life.</summary>
internal static class Impatience
{
    public static readonly GlobalDirectoryOptions Directory = new()
    {
        RequestTimeout = TimeSpan.FromMilliseconds(400),
        ResendDelay = TimeSpan.FromMilliseconds(100),
        RoundLifetime = TimeSpan.FromSeconds(2),
        AcquireTimeout = TimeSpan.FromSeconds(3),
        ResolveInterval = TimeSpan.FromSeconds(1),
        ScanInterval = TimeSpan.FromSeconds(4),
        ScanTurn = TimeSpan.FromSeconds(1),
    };

    public static readonly ClusterSiloOptions Silos = new()
    {
        Clusters = [],
        LeaseDuration = TimeSpan.FromSeconds(2),
        SiblingTimeout = TimeSpan.FromSeconds(1),
        DeactivationTimeout = TimeSpan.FromSeconds(2),
    };

    public static void Set(GeoEmbeddedOptions options, ViewLimits? limits = null)
    {
        limits ??= ViewLimits.Wide;
        options.ActivationTimeout = TimeSpan.FromSeconds(5);
        options.DeactivationTimeout = TimeSpan.FromSeconds(2);
        options.Directory = Directory;
        options.BatchedCas = new()
        {
            StorageTimeout = TimeSpan.FromSeconds(1),
            RetryMaximum = TimeSpan.FromSeconds(1),
            HandInAfter = 1,
            HandInWait = TimeSpan.FromMilliseconds(500),
            MaxWaiters = limits.Waiters,
            MaxPending = limits.Pending,
            MaxBatch = limits.Batch,
            MaxInstances = limits.Instances,
            MaxAbandonedOperations = limits.Abandoned,
        };
        options.Replicas = new() { RequestTimeout = TimeSpan.FromSeconds(1), MaxWaitingRequests = limits.Requests };
        options.VersionedLeader = new()
        {
            AnswerWait = TimeSpan.FromSeconds(1),
            RetryMaximum = TimeSpan.FromSeconds(1),
            TakeOverAfter = TimeSpan.FromSeconds(2),
            HandOverWait = TimeSpan.FromSeconds(1),
            MaxWaiters = limits.Waiters,
            MaxPending = limits.Pending,
            MaxBatch = limits.Batch,
        };
    }
}
