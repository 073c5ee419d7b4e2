namespace Geo.Orleans;

/// <summary>
/// Carries the calls of one external client to other clusters, over the links of the silo that the client is connected to. Its key is the
/// client's own: Orleans does not take the cancellation of a call to the right instance of a stateless worker.
/// </summary>
[Alias("geo.gateway")]
internal interface IGeoGateway : IGrainWithGuidKey
{
    [Alias("carry")]
    Task<CarriedReply> CarryAsync(
        string cluster, string grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken);
}
