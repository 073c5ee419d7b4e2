using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Settings of silos with which much goes wrong, and is tried again, within a short simulated life.</summary>
internal static class Impatience
{
    public static void Set(GeoEmbeddedOptions options, int maxWaiters = 10_000)
    {
        options.ActivationTimeout = TimeSpan.FromSeconds(5);
        options.DeactivationTimeout = TimeSpan.FromSeconds(2);
        options.BatchedCas = new()
        {
            MaxWaiters = maxWaiters,
            StorageTimeout = TimeSpan.FromSeconds(1),
            RetryMaximum = TimeSpan.FromSeconds(1),
            HandInAfter = 1,
            HandInWait = TimeSpan.FromMilliseconds(500),
        };
        options.Replicas = new() { RequestTimeout = TimeSpan.FromSeconds(1) };
        options.VersionedLeader = new()
        {
            MaxWaiters = maxWaiters,
            AnswerWait = TimeSpan.FromSeconds(1),
            RetryMaximum = TimeSpan.FromSeconds(1),
            TakeOverAfter = TimeSpan.FromSeconds(2),
            HandOverWait = TimeSpan.FromSeconds(1),
        };
    }
}
