namespace Geo.Embedded;

/// <summary>How the read replicas of other clusters reach a versioned grain's instance: by calls like any other.</summary>
internal interface IReadReplicaFeed : IGrain
{
    /// <summary>Tells the last confirmed version, and how old it may be.</summary>
    /// <param name="poll">The question, as Geo.Consistency writes it.</param>
    /// <param name="cancellationToken">Ends the wait for the grain's store.</param>
    [AlwaysInterleave]
    Task<byte[]> PollAsync([Immutable] byte[] poll, CancellationToken cancellationToken);
}
