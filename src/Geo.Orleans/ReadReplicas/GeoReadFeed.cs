namespace Geo.Orleans;

/// <summary>Answers the read replicas of the grain that it is an extension of.</summary>
internal sealed class GeoReadFeed(IGrainContext activation) : IGeoReadFeed
{
    public Task<byte[]> PollAsync(byte[] poll, CancellationToken cancellationToken) =>
        activation.GetComponent<IGeoJournal>() is { } journal
            ? journal.FeedAsync(poll, cancellationToken)
            : throw new GeoUnavailableException($"Grain '{activation.GrainId}' has no versions that Geo keeps.");
}
