using System.Globalization;
using System.Text;

namespace Geo;

/// <summary>
/// What tells one conditional store from another: a row that the first who asks writes into it, once and for ever. Whoever reaches the same
/// data, through whatever handle or decorator, finds the same identity; a copy of the data has the identity of its original.
/// </summary>
internal static class StoreIdentity
{
    /// <summary>The row's key. Its value is 32 hexadecimal digits.</summary>
    public const string Key = "geo/identity";

    private const string Format = "N";

    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);

    // A store that is away most often starts again; the pause is what a silo that waits for it adds to that.
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    // A question that got lost must not use up the wait, nor a slow store be asked in vain: each try has this, or half of what is left.
    private static readonly TimeSpan LeastShare = TimeSpan.FromSeconds(1);

    /// <summary>Finds the identity of a store, which it is given now if it has none. Unknown outcomes are tried again.</summary>
    /// <param name="store">The store.</param>
    /// <param name="proposal">The identity to give to a store that has none: a new one, that no other store was given.</param>
    /// <param name="time">The clock of the time-out and the pauses.</param>
    /// <param name="timeout">
    /// How long to wait for the store altogether, whether it heeds tokens or not. It is asked until 50 ms before the end, once a second or
    /// more often; a try that does not end gives way to the next after a second, or half of what is left where that is more.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">The store did not say within the time-out.</exception>
    /// <exception cref="GeoConfigurationException">The store has something else under <see cref="Key"/>.</exception>
    public static async Task<Guid> EnsureAsync(
        IConditionalStore store, Guid proposal, TimeProvider time, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(time);
        var started = time.GetTimestamp();
        var reason = "it did not answer";
        for (var tries = 1; ; tries++)
        {
            using var given = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            try
            {
                var found = await TryAsync(store, proposal, given.Token).AsTask().WaitAsync(Share(), time, cancellationToken);
                if (found.Outcome == StoreReadOutcome.Found)
                {
                    return Parse(found.Value.Span);
                }

                reason = found.Reason!;
            }
            catch (TimeoutException)
            {
                // Whatever it still writes is a proposal that the next try reads.
                reason = "it did not answer";
                given.Cancel();
            }

            // Never all that is left: the last tries need time for an answer.
            var (pause, most) = (BackOff.Doubled(tries, FirstPause, LongestPause), Left() / 2);
            pause = pause < most ? pause : most;
            if (pause < FirstPause / 2)
            {
                throw new GeoUnavailableException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"the store did not say which store it is within {timeout.TotalSeconds:0.###} s: {reason}"));
            }

            await Task.Delay(pause, time, cancellationToken);
        }

        TimeSpan Share()
        {
            var left = Left();
            var share = left / 2 > LeastShare ? left / 2 : LeastShare;
            return share < left ? share : left;
        }

        TimeSpan Left() => LongestWait.Clamp(timeout - time.GetElapsedTime(started));
    }

    /// <summary>
    /// Found, or unknown. What it finds is in the store: a proposal counts only once it was read back or certainly applied.
    /// </summary>
    private static async ValueTask<StoreRead> TryAsync(IConditionalStore store, Guid proposal, CancellationToken cancellationToken)
    {
        var found = await store.ReadAsync(Key, cancellationToken);
        if (found.Outcome != StoreReadOutcome.NotFound)
        {
            return found;
        }

        var value = Encoding.ASCII.GetBytes(proposal.ToString(Format, CultureInfo.InvariantCulture));
        var write = await store.WriteAsync(Key, value, null, cancellationToken);
        if (write.Outcome == StoreWriteOutcome.Applied)
        {
            return StoreRead.Found(value, write.ETag!.Value);
        }

        // Somebody was faster, or it is not known whether it was written: what stands there now is the identity, and stays it.
        found = await store.ReadAsync(Key, cancellationToken);
        return found.Outcome == StoreReadOutcome.NotFound
            ? StoreRead.Unknown(write.Reason ?? "the identity was deleted as it was read")
            : found;
    }

    private static Guid Parse(ReadOnlySpan<byte> value) =>
        Guid.TryParseExact(Encoding.ASCII.GetString(value), Format, out var identity)
            ? identity
            : throw new GeoConfigurationException(
                $"under '{Key}', where a store says which one it is, the store has something else; use another store, or remove that row");
}
