namespace Geo.Orleans;

/// <summary>The journal of a grain, which the grain's extensions find in its context.</summary>
internal interface IGeoJournal
{
    /// <summary>Answers a read replica of the grain. Called in the grain's turns.</summary>
    Task<byte[]> FeedAsync(byte[] poll, CancellationToken cancellationToken);

    /// <summary>Whoever waits for the view is told that the outcome is not known. Called in the grain's turns.</summary>
    void GiveUpWaits(GeoOutcomeUnknownException reason);
}
