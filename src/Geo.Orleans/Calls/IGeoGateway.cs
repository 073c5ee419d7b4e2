namespace Geo.Orleans;

/// <summary>
/// Carries the calls of one external client to other clusters, over the links of the silo that the client is connected to. Its key is the
/// client's own: Orleans does not take the cancellation of a call to the right instance of a stateless worker.
/// </summary>
[Alias("geo.gateway")]
internal interface IGeoGateway : IGrainWithGuidKey
{
    /// <remarks>How long it is waited for is the caller's to say, and in Orleans the longest time that a message can name.</remarks>
    [Alias("carry")]
    [ResponseTimeout("24.00:00:00")]
    Task<CarriedReply> CarryAsync(
        string cluster, string grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken);
}
