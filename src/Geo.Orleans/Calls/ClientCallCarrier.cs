namespace Geo.Orleans;

/// <summary>Carries an external client's calls through a silo of the cluster that it is connected to.</summary>
internal sealed class ClientCallCarrier(IGrainFactory grains) : ICallCarrier
{
    private readonly Guid _client = Guid.NewGuid();

    public async ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        try
        {
            return await grains.GetGrain<IGeoGateway>(_client).CarryAsync(to.Name, grain.ToString(), frame, timeout, cancellationToken);
        }
        catch (Exception e) when (e is OrleansException or TimeoutException)
        {
            return CarriedReply.Unknown($"the silo that carried it was lost, or did not answer in time: {e.Message}");
        }
    }
}
