namespace Geo.Orleans;

/// <summary>Carries calls of external clients to other clusters, over the links of the silo that a client is connected to.</summary>
[Alias("geo.gateway")]
internal interface IGeoGateway : IGrainWithIntegerKey
{
    [Alias("carry")]
    Task<CarriedReply> CarryAsync(string cluster, string grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken);
}
