using Orleans.Concurrency;

namespace Geo.Orleans;

/// <summary>How the read replicas of other clusters reach a journaled grain's activation: by calls like any other.</summary>
[Alias("geo.read-feed")]
internal interface IGeoReadFeed : IGrainExtension
{
    /// <summary>Tells the last confirmed version, and how old it may be.</summary>
    /// <param name="poll">The question, as Geo.Consistency writes it.</param>
    /// <param name="cancellationToken">Ends the wait for the grain's store.</param>
    [AlwaysInterleave]
    [Alias("poll")]
    Task<byte[]> PollAsync(byte[] poll, CancellationToken cancellationToken);
}
