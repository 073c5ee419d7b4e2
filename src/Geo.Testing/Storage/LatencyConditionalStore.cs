using System.Runtime.CompilerServices;

namespace Geo.Testing.Storage;

/// <summary>
/// A store at a distance: half of each round trip passes before an operation takes effect and half after it, so that an effect
/// is there before its caller knows.
/// </summary>
/// <remarks>
/// Cancelled on the way there, an operation throws and has no effect; on the way back a write is unknown. A list pays one round trip.
/// </remarks>
/// <param name="inner">The store.</param>
/// <param name="latency">How long round trips take.</param>
/// <param name="time">The clock that the delays pass on.</param>
public sealed class LatencyConditionalStore(IConditionalStore inner, LatencyDistribution latency, TimeProvider time) : IConditionalStore
{
    /// <summary>Creates a store at a fixed distance.</summary>
    public LatencyConditionalStore(IConditionalStore inner, TimeSpan roundTrip, TimeProvider time)
        : this(inner, LatencyDistribution.Fixed(roundTrip), time)
    {
    }

    /// <inheritdoc/>
    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        var half = latency.Next() / 2;
        await PassAsync(half, cancellationToken);
        var read = await inner.ReadAsync(key, cancellationToken);
        await PassAsync(half, cancellationToken);
        return read;
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return ChangeAsync(() => inner.WriteAsync(key, value, expected, cancellationToken), cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return ChangeAsync(() => inner.DeleteAsync(key, expected, cancellationToken), cancellationToken);
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        await PassAsync(latency.Next(), cancellationToken);
        await foreach (var entry in inner.ListAsync(prefix, cancellationToken))
        {
            yield return entry;
        }
    }

    private async ValueTask<StoreWrite> ChangeAsync(Func<ValueTask<StoreWrite>> change, CancellationToken cancellationToken)
    {
        var half = latency.Next() / 2;
        await PassAsync(half, cancellationToken);
        var write = await change();
        try
        {
            await PassAsync(half, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            return StoreWrite.Unknown("cancelled while the answer was on its way");
        }

        return write;
    }

    private Task PassAsync(TimeSpan delay, CancellationToken cancellationToken) => Task.Delay(delay, time, cancellationToken);
}
