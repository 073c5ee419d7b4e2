namespace Geo.Directory;

/// <summary>
/// The configuration in the store that all clusters reach, and beside it the word of each cluster about how far it has come with it.
/// </summary>
/// <param name="store">The store, of which each operation ends in time.</param>
internal sealed class ConfigurationDocuments(IConditionalStore store)
{
    /// <summary>The document's key.</summary>
    public const string Key = "geo/configuration";

    private const string Words = Key + "/";
    private const int MaxTries = 4;

    /// <exception cref="GeoUnavailableException">The store does not answer.</exception>
    /// <exception cref="GeoSerializationException">The document is damaged.</exception>
    public async Task<ReadDocument> ReadAsync(CancellationToken cancellationToken)
    {
        var read = await store.ReadAsync(Key, cancellationToken);
        return read.Outcome switch
        {
            StoreReadOutcome.Found => new(ConfigurationDocument.Decode(read.Value.Span), read.ETag),
            StoreReadOutcome.NotFound => default,
            _ => throw NotAnswered(read.Reason),
        };
    }

    /// <summary>Puts a version in the place of the one that was read. An outcome that stays unknown is found out by reading.</summary>
    /// <returns>False where another version has taken its place.</returns>
    /// <exception cref="GeoUnavailableException">It is not known whether it took effect; it may yet do so.</exception>
    public async Task<bool> ReplaceAsync(ReadDocument current, ConfigurationDocument next, CancellationToken cancellationToken)
    {
        var bytes = next.Encode();
        string? reason = null;
        for (var tries = 1; tries <= MaxTries; tries++)
        {
            var written = await store.WriteAsync(Key, bytes, current.ETag, cancellationToken);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                return true;
            }

            // A conflict may be with an earlier try of this one.
            reason = written.Reason;
            if (written.Outcome == StoreWriteOutcome.Conflict && tries == 1)
            {
                return false;
            }

            var read = await store.ReadAsync(Key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Found && read.Value.Span.SequenceEqual(bytes))
            {
                return true;
            }

            if (read.Outcome != StoreReadOutcome.Unknown && read.ETag != current.ETag)
            {
                return false;
            }
        }

        throw new GeoUnavailableException(
            $"Whether the configuration has changed to version {next.Version} is not known: its store does not answer ({reason}).");
    }

    /// <summary>What all clusters say that have ever said something.</summary>
    /// <exception cref="GeoUnavailableException">The store does not answer.</exception>
    /// <exception cref="GeoSerializationException">A cluster's word is damaged.</exception>
    public async Task<List<ClusterProgress>> ProgressAsync(CancellationToken cancellationToken)
    {
        var all = new List<ClusterProgress>();
        await foreach (var listed in store.ListAsync(Words, cancellationToken))
        {
            all.Add(ClusterProgress.Decode(new(listed.Key[Words.Length..]), listed.Value.Span));
        }

        return all;
    }

    /// <summary>What a cluster says; null for nothing.</summary>
    /// <exception cref="GeoUnavailableException">The store does not answer.</exception>
    public async Task<ClusterProgress?> ProgressOfAsync(ClusterId cluster, CancellationToken cancellationToken) =>
        await store.ReadAsync(Words + cluster.Name, cancellationToken) switch
        {
            { Outcome: StoreReadOutcome.Found } found => ClusterProgress.Decode(cluster, found.Value.Span),
            { Outcome: StoreReadOutcome.NotFound } => null,
            var unknown => throw NotAnswered(unknown.Reason),
        };

    /// <summary>
    /// Says how far a cluster has come. What any of its silos has said is true, so that the order of two does not matter.
    /// </summary>
    public async Task TellAsync(ClusterProgress progress, CancellationToken cancellationToken)
    {
        var key = Words + progress.Cluster.Name;
        var read = await store.ReadAsync(key, cancellationToken);
        if (read.Outcome != StoreReadOutcome.Unknown)
        {
            // Conflict or unknown: told again by the next look.
            _ = await store.WriteAsync(key, progress.Encode(), read.ETag, cancellationToken);
        }
    }

    private static GeoUnavailableException NotAnswered(string? reason) =>
        new($"The configuration store does not answer ({reason}).");
}
