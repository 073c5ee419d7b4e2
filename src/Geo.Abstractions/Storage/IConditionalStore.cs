using System.Runtime.CompilerServices;

namespace Geo;

/// <summary>
/// Strongly consistent values under keys, changed by compare-and-swap on an <see cref="ETag"/>: all that Geo's protocols need of
/// storage (GEO section 3.4, "some form of conditional update").
/// </summary>
/// <remarks>
/// <para>
/// Every operation ends in one of three ways: applied, conflict (certainly not applied) or unknown (may have taken effect, or may
/// still do so later). Trouble with the network or the store is an unknown outcome, never an exception.
/// </para>
/// <para>
/// A read sees every write that was applied before it began. Implementations may be called from any thread, and at the same time.
/// </para>
/// <para>
/// Exceptions: <see cref="ArgumentException"/> for a key that <see cref="StoreLimits.CheckKey"/> refuses,
/// <see cref="GeoStorageException"/> for what the store refuses for good, such as a value over its limit, which it then names
/// (<see cref="GeoStorageException.MaxValueBytes"/>),
/// <see cref="OperationCanceledException"/> only where the operation certainly took no effect; a write cancelled later is unknown.
/// </para>
/// </remarks>
public interface IConditionalStore
{
    /// <summary>Reads the value under a key.</summary>
    ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default);

    /// <summary>Writes a value if the key's present version is the expected one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The new value; not used after the returned task has ended.</param>
    /// <param name="expected">The version to replace, or null when the key must not exist yet.</param>
    /// <param name="cancellationToken">Ends the wait, not necessarily the write.</param>
    ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default);

    /// <summary>Deletes a key if its present version is the expected one; a missing key is a conflict.</summary>
    ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default);

    /// <summary>
    /// Lists the entries whose key starts with a prefix, in the order of the keys' code points (the order of their UTF-8 bytes). Each
    /// entry is read consistently, the list as a whole is not a snapshot.
    /// </summary>
    /// <exception cref="GeoUnavailableException">The store cannot be reached; what was listed so far stands.</exception>
    IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default);

    /// <summary>
    /// Lists as <see cref="ListAsync(string, CancellationToken)"/> does, from the first key after a given one, so that a list can be taken
    /// up where it broke off. A store that does not say otherwise reads from the front all the same and leaves out what comes before.
    /// </summary>
    /// <param name="prefix">The beginning of the keys.</param>
    /// <param name="after">The key after which the list begins, which need not exist; null for the front.</param>
    /// <param name="cancellationToken">Ends the list.</param>
    /// <exception cref="GeoUnavailableException">The store cannot be reached; what was listed so far stands.</exception>
    async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (var entry in ListAsync(prefix, cancellationToken).ConfigureAwait(false))
        {
            if (after is null || CodePointOrder.Instance.Compare(entry.Key, after) > 0)
            {
                yield return entry;
            }
        }
    }
}
