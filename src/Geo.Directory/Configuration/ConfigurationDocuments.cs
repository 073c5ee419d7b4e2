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
    /// <exception cref="GeoSerializationException">The document is damaged, or an older or newer build has written it.</exception>
    public async Task<ReadDocument> ReadAsync(CancellationToken cancellationToken)
    {
        var read = await store.ReadAsync(Key, cancellationToken);
        return read.Outcome switch
        {
            StoreReadOutcome.Found => new(Decode(read.Value), read.ETag),
            StoreReadOutcome.NotFound => default,
            _ => throw NotAnswered(read.Reason),
        };
    }

    /// <summary>Puts a version in the place of the one that was read. An outcome that stays unknown is found out by reading.</summary>
    /// <returns>
    /// <see cref="DocumentWrite.InDoubt"/> where it may have taken its place, and others theirs after it.
    /// </returns>
    /// <exception cref="GeoUnavailableException">It is not known whether it took effect; it may yet do so.</exception>
    public async Task<DocumentWrite> ReplaceAsync(ReadDocument current, ConfigurationDocument next, CancellationToken cancellationToken)
    {
        var bytes = next.Encode();
        string? reason = null;
        for (var tries = 1; tries <= MaxTries; tries++)
        {
            var written = await store.WriteAsync(Key, bytes, current.ETag, cancellationToken);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                return DocumentWrite.Applied;
            }

            // A conflict may be with an earlier try of this one.
            reason = written.Reason;
            if (written.Outcome == StoreWriteOutcome.Conflict && tries == 1)
            {
                return DocumentWrite.Lost;
            }

            var read = await store.ReadAsync(Key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Found && read.Value.Span.SequenceEqual(bytes))
            {
                return DocumentWrite.Applied;
            }

            if (read.Outcome != StoreReadOutcome.Unknown && read.ETag != current.ETag)
            {
                return DocumentWrite.InDoubt;
            }
        }

        throw new GeoUnavailableException(
            $"Whether the configuration has changed to version {next.Version} is not known: its store does not answer ({reason}).");
    }

    /// <summary>What all clusters say that have ever said something; of one whose word cannot be read, why not.</summary>
    /// <exception cref="GeoUnavailableException">The store does not answer.</exception>
    public async Task<List<ClusterProgress>> ProgressAsync(CancellationToken cancellationToken)
    {
        var all = new List<ClusterProgress>();
        await foreach (var listed in store.ListAsync(Words, cancellationToken))
        {
            // What stands under a name that no cluster can have is nobody's word.
            if (Named(listed.Key[Words.Length..]) is { IsNone: false } cluster)
            {
                all.Add(Read(cluster, listed.Value));
            }
        }

        return all;
    }

    /// <summary>What a cluster says; null for nothing.</summary>
    /// <exception cref="GeoUnavailableException">The store does not answer.</exception>
    public async Task<ClusterProgress?> ProgressOfAsync(ClusterId cluster, CancellationToken cancellationToken) =>
        await store.ReadAsync(Words + cluster.Name, cancellationToken) switch
        {
            { Outcome: StoreReadOutcome.Found } found => Read(cluster, found.Value),
            { Outcome: StoreReadOutcome.NotFound } => null,
            var unknown => throw NotAnswered(unknown.Reason),
        };

    /// <summary>
    /// Says how far a cluster has come, where it has not said as much already: what any of its silos has said stays true, and a silo that
    /// stood still takes nothing of it back. A damaged word is replaced, and one of a newer build is not.
    /// </summary>
    /// <param name="progress">What it says.</param>
    /// <param name="overtaken">A word that is known to be about no version of this configuration; null for none.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task TellAsync(ClusterProgress progress, ClusterProgress? overtaken, CancellationToken cancellationToken)
    {
        var key = Words + progress.Cluster.Name;
        var read = await store.ReadAsync(key, cancellationToken);
        if (read.Outcome == StoreReadOutcome.NotFound
            || (read.Outcome == StoreReadOutcome.Found && Read(progress.Cluster, read.Value) is { IsNewer: false } said
                && (said.MayBecome(progress) || (said.Stored, said.Digest) == (overtaken?.Stored, overtaken?.Digest))))
        {
            // Conflict or unknown: told again by the next look.
            _ = await store.WriteAsync(key, progress.Encode(), read.ETag, cancellationToken);
        }
    }

    private static ClusterId Named(string name)
    {
        try
        {
            return new(name);
        }
        catch (ArgumentException)
        {
            return default;
        }
    }

    private static ConfigurationDocument Decode(ReadOnlyMemory<byte> document) => ConfigurationDocument.Decode(
        document.Span,
        $"Row '{Key}' of the configuration store",
        $"Put it back as it was: the row '{StoredConfiguration.Key}' of the row store of a cluster that has processed the last version "
            + "holds the same bytes. Silos go on with the version that they have.");

    private static ClusterProgress Read(ClusterId cluster, ReadOnlyMemory<byte> word)
    {
        try
        {
            return ClusterProgress.Decode(cluster, word.Span);
        }
        catch (GeoSerializationException e)
        {
            return ClusterProgress.Unread(cluster, Words + cluster.Name, e.Message, ClusterProgress.Judge(word.Span));
        }
    }

    private static GeoUnavailableException NotAnswered(string? reason) =>
        new($"The configuration store does not answer ({reason}).");
}
