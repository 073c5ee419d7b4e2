namespace Geo.Directory;

/// <summary>
/// The last version of the configuration that a cluster has processed, in its own row store: it only goes up, so that a silo that starts
/// works with no earlier one, whether the configuration store answers or not, and was set back or not.
/// </summary>
/// <param name="rows">The row store of the cluster, of which each operation ends in time.</param>
internal sealed class StoredConfiguration(IConditionalStore rows)
{
    /// <summary>The row's key.</summary>
    public const string Key = "geo/configuration";

    private const string Repair =
        $"Put it back as it was, or copy the row '{ConfigurationDocuments.Key}' of the configuration store to it.";

    // How often silos of the cluster may raise it at the same time.
    private const int MaxConflicts = 16;

    /// <summary>The last version; null where the cluster has never had a live configuration.</summary>
    /// <exception cref="GeoUnavailableException">The store does not answer.</exception>
    /// <exception cref="GeoSerializationException">The row is damaged, or an older or newer build has written it.</exception>
    public async Task<ConfigurationDocument?> ReadAsync(CancellationToken cancellationToken) =>
        (await TryReadAsync(cancellationToken)).Document;

    /// <summary>Stores a version unless it, or one that was made from it, is stored.</summary>
    /// <returns>
    /// Null when it is stored; otherwise why not: another silo of the cluster has processed a version that does not go with it.
    /// </returns>
    /// <exception cref="GeoUnavailableException">It is not known whether it is stored.</exception>
    public async Task<string?> RaiseAsync(ConfigurationDocument to, CancellationToken cancellationToken)
    {
        string? reason = null;
        for (var tries = 0; tries < MaxConflicts; tries++)
        {
            // After an unknown outcome, too: what is read tells, and a late write expects an etag that is gone.
            var (present, etag) = await TryReadAsync(cancellationToken);
            if (present is not null && (present.Digest == to.Digest || present.Follows(to)))
            {
                return null;
            }

            if (ConfigurationTrust.Distrust(present, to) is { } distrust)
            {
                return distrust;
            }

            var written = await rows.WriteAsync(Key, to.Encode(), etag, cancellationToken);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                return null;
            }

            reason = written.Reason ?? "other silos write it";
        }

        throw NotAnswered(reason);
    }

    private async Task<(ConfigurationDocument? Document, ETag? ETag)> TryReadAsync(CancellationToken cancellationToken)
    {
        var read = await rows.ReadAsync(Key, cancellationToken);
        return read.Outcome switch
        {
            StoreReadOutcome.Found => (
                ConfigurationDocument.Decode(read.Value.Span, $"Row '{Key}' of this cluster's row store", Repair), read.ETag),
            StoreReadOutcome.NotFound => (null, null),
            _ => throw NotAnswered(read.Reason),
        };
    }

    private static GeoUnavailableException NotAnswered(string? reason) =>
        new($"The configuration that this cluster has processed is not known: its row store does not answer ({reason}).");
}
