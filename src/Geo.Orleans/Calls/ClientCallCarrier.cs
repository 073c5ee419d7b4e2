namespace Geo.Orleans;

/// <summary>Carries an external client's calls through a silo of the cluster that it is connected to.</summary>
internal sealed class ClientCallCarrier(IGrainFactory grains) : ICallCarrier
{
    public async ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken) =>
        await grains.GetGrain<IGeoGateway>(0).CarryAsync(to.Name, grain.ToString(), frame, timeout, cancellationToken);
}
