using Orleans.Concurrency;
using Orleans.Placement;

namespace Geo.Orleans;

[PreferLocalPlacement]
[Reentrant]
internal sealed class GeoGatewayGrain(ICallCarrier carrier) : Grain, IGeoGateway
{
    public async Task<CarriedReply> CarryAsync(
        string cluster, string grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken) =>
        await carrier.CarryAsync(new ClusterId(cluster), GrainKey.Parse(grain), frame, timeout, cancellationToken);
}
