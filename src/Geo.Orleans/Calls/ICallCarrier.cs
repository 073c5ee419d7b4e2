namespace Geo.Orleans;

/// <summary>Takes encoded calls to other clusters: a silo over its own links, a client through a silo of its cluster.</summary>
internal interface ICallCarrier
{
    /// <summary>Carries one call and waits for its end.</summary>
    ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken);
}
