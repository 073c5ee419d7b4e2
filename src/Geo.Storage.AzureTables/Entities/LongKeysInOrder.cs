namespace Geo.Storage.AzureTables;

/// <summary>
/// Brings listed entries into the order of their keys: the table's order is it already, except among keys that it holds by their beginning
/// and a hash. Those that begin alike come one after the other, and are held back until the last of them has come.
/// </summary>
internal sealed class LongKeysInOrder(int limit)
{
    private readonly List<StoreEntry> _held = [];
    private string _beginning = "";

    /// <summary>Takes entries in the table's order and gives those whose place is certain.</summary>
    /// <exception cref="GeoStorageException">More than the limit would have to be held back.</exception>
    public IEnumerable<StoreEntry> Add(IEnumerable<StoreEntry> entries)
    {
        foreach (var entry in entries)
        {
            var beginning = Beginning(entry.Key);
            if (beginning != _beginning)
            {
                foreach (var held in TakeRest())
                {
                    yield return held;
                }
            }

            if (beginning.Length == 0)
            {
                yield return entry;
                continue;
            }

            if (_held.Count == limit)
            {
                throw new GeoStorageException(
                    $"More than {limit} keys are alike in their first {EntityKey.MaxEncoded} encoded characters, the first '{entry.Key}'; "
                    + $"list under a longer prefix, use shorter keys, or raise {nameof(AzureTableStoreOptions.MaxLongKeysInOrder)}.");
            }

            _beginning = beginning;
            _held.Add(entry);
        }
    }

    /// <summary>What was held back, in order.</summary>
    public IEnumerable<StoreEntry> TakeRest()
    {
        StoreEntry[] rest = [.. _held.OrderBy(entry => KeyEncoding.Encode(entry.Key), StringComparer.Ordinal)];
        _held.Clear();
        _beginning = "";
        return rest;
    }

    /// <summary>What a cut key shares with others; empty for a key that the table holds whole.</summary>
    private static string Beginning(string key)
    {
        var encoded = key.Length <= EntityKey.MaxEncoded / 9 ? "" : KeyEncoding.Encode(key);
        return encoded.Length <= EntityKey.MaxEncoded ? "" : encoded[..EntityKey.MaxEncoded];
    }
}
