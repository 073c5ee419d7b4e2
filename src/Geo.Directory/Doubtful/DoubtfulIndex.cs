namespace Geo.Directory;

/// <summary>
/// The Doubtful rows of the cluster, one entry each under a prefix of their own, so that they are found without looking at all rows.
/// </summary>
/// <remarks>
/// An entry is written before its row becomes Doubtful, anew each time, and removed only by who saw the entry first and then a row that
/// needs none: a removal that comes late meets another version. An entry too many is removed by the next look at the index, one too few,
/// after a write of unknown outcome, is added by the scan of the rows.
/// </remarks>
internal sealed class DoubtfulIndex(IConditionalStore store, DirectoryMetrics metrics)
{
    // As long as that of the rows, so that a key that fits there fits here.
    public const string Prefix = "gsd/";

    private const int MaxTries = 4;

    private static readonly byte[] Mark = [1];

    public static string KeyOf(GrainKey key) => $"{Prefix}{key.Type}/{key.Key}";

    public static GrainKey GrainOf(string indexKey) => GrainKey.Parse(indexKey[Prefix.Length..]);

    /// <summary>Writes the entry of a row that is about to become Doubtful.</summary>
    public async ValueTask MarkAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var indexKey = KeyOf(key);
        ETag? expected = null;
        for (var attempt = 0; attempt < MaxTries; attempt++)
        {
            var written = await store.WriteAsync(indexKey, Mark, expected, cancellationToken);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                return;
            }

            var read = written.Outcome == StoreWriteOutcome.Conflict ? await store.ReadAsync(indexKey, cancellationToken) : default;
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                metrics.StoreOutcomeUnknown();
                return;
            }

            expected = read.ETag;
        }
    }

    /// <summary>Adds the entry of a row that was found Doubtful, if it is missing.</summary>
    public async ValueTask RepairAsync(GrainKey key, CancellationToken cancellationToken) =>
        _ = await store.WriteAsync(KeyOf(key), Mark, expected: null, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(CancellationToken cancellationToken) => store.ListAsync(Prefix, cancellationToken);

    /// <summary>Removes an entry as it was listed; what does not succeed is left to the next look.</summary>
    public async ValueTask RemoveAsync(StoreEntry listed, CancellationToken cancellationToken) =>
        _ = await store.DeleteAsync(listed.Key, listed.ETag, cancellationToken);
}
