namespace Geo.Storage.AzureTables;

/// <summary>Where an entity is in the table.</summary>
/// <param name="Partition">The partition key.</param>
/// <param name="Row">The row key.</param>
/// <param name="IsCut">The two do not hold the whole key of the store: the entity holds it as a property.</param>
internal readonly record struct EntityKey(string Partition, string Row, bool IsCut)
{
    /// <summary>The longest partition key, and the longest row key, of the table service, in characters: 1 KiB of UTF-16.</summary>
    public const int MaxLength = 512;

    /// <summary>How many characters of an encoded key the two hold; of a longer one as many, and a hash of the whole.</summary>
    public const int MaxEncoded = MaxLength + MaxLength - 1 - HashLength;

    // Before any character of an encoded key, so that a key comes before the longer ones that start with it.
    public const char HashMark = '!';

    private const int HashLength = 65;

    // No row key is empty: some tools take that for none.
    private const char RowMark = 'k';

    /// <summary>
    /// Where a key of the store is. Ordinal order of partition, then row, is the order of the keys' UTF-8 bytes, cut ones aside.
    /// </summary>
    public static EntityKey Of(string key)
    {
        var encoded = KeyEncoding.Encode(key);
        return encoded.Length <= MaxEncoded
            ? new(PartitionOf(encoded), RowOf(encoded), false)
            : new(PartitionOf(encoded), $"{RowOf(encoded[..MaxEncoded])}{HashMark}{KeyEncoding.Hash(key)}", true);
    }

    /// <summary>The key of the store at a place that holds it whole; null where a store never put anything.</summary>
    public static string? TryDecode(string partition, string row) =>
        row is [RowMark, ..] && (row.Length == 1 || partition.Length == MaxLength) ? KeyEncoding.TryDecode(partition + row[1..]) : null;

    /// <summary>What all entities under a prefix have in common, as a filter; null for all.</summary>
    public static string? FilterFor(string prefix)
    {
        var encoded = KeyEncoding.Encode(prefix);
        return encoded.Length switch
        {
            0 => null,
            <= MaxLength => $"PartitionKey ge '{encoded}' and PartitionKey lt '{After(encoded)}'",
            <= MaxEncoded =>
                $"PartitionKey eq '{PartitionOf(encoded)}' and RowKey ge '{RowOf(encoded)}' and RowKey lt '{After(RowOf(encoded))}'",
            _ => $"PartitionKey eq '{PartitionOf(encoded)}' and RowKey ge '{RowOf(encoded[..MaxEncoded])}' and "
                + $"RowKey lt '{RowOf(encoded[..MaxEncoded])}{(char)(HashMark + 1)}'",
        };
    }

    private static string PartitionOf(string encoded) => encoded[..Math.Min(encoded.Length, MaxLength)];

    private static string RowOf(string encoded) => RowMark + encoded[PartitionOf(encoded).Length..];

    // The last character of an encoded key is a digit or a letter, after which there is always another one.
    private static string After(string encoded) => encoded[..^1] + (char)(encoded[^1] + 1);
}
