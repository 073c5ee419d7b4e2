using Geo.Consistency;
using Microsoft.Extensions.Logging;
using Orleans.Concurrency;

namespace Geo.Orleans;

[Reentrant]
internal sealed class GeoSiloService(GrainId grainId, Silo silo, ILoggerFactory loggers, TrackedActivations activations, GeoSilo geo)
    : GrainService(grainId, silo, loggers), IGeoSiloService
{
    public Task DeactivateAsync(GrainId grain, string reason) => activations.DeactivateAsync(grain, reason);

    public async Task ForgetCachedAsync(string grain, string stale) =>
        await geo.Directory.ForgetCachedAsync(GrainKey.Parse(grain), new ClusterId(stale));

    public async Task NotifyReplicaAsync(string from, byte[] message) =>
        await geo.Replicas.DeliverAsync(new ClusterMessage(new ClusterId(from), ReplicaExchange.Service, message, ExpectsReply: false));

    public async Task<byte[]> AskReplicaAsync(string from, byte[] message) =>
        (await geo.Replicas.DeliverAsync(new ClusterMessage(new ClusterId(from), ReplicaExchange.Service, message, ExpectsReply: true))).ToArray();
}
