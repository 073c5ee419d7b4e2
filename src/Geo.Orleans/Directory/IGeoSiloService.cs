using Orleans.Concurrency;
using Orleans.Services;

namespace Geo.Orleans;

/// <summary>What the silos of one cluster ask of each other.</summary>
[Alias("geo.silo")]
internal interface IGeoSiloService : IGrainService
{
    /// <summary>Ends the activation of a grain on this silo, if there is one; the answer comes when it has ended.</summary>
    [Alias("deactivate")]
    Task DeactivateAsync(GrainId grain, string reason);

    /// <summary>Drops what this silo has cached about a grain, if it names a given cluster.</summary>
    [Alias("forget-cached")]
    Task ForgetCachedAsync(string grain, string stale);

    /// <summary>Gives a notification of another cluster to the instance on this silo, if there is one.</summary>
    [OneWay]
    [Alias("notify-replica")]
    Task NotifyReplicaAsync(string from, byte[] message);

    /// <summary>Gives a request of another cluster to the instance on this silo, if there is one.</summary>
    [Alias("ask-replica")]
    Task<byte[]> AskReplicaAsync(string from, byte[] message);
}
