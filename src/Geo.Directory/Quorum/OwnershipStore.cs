using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The store by majority as the ownership of grains uses it: every operation ends in time, and one that is late is also called off, so that
/// it does not stand in the way of the next one.
/// </summary>
internal sealed class OwnershipStore(IConditionalStore store, StoreBounds bounds, TimeProvider time, ILogger logger) : IConditionalStore
{
    // What heeds its token ends by it, and is not taken for one that hangs.
    private readonly BoundedStore _bounded = new(
        new Timed(store, bounds.Timeout, time), bounds with { Timeout = bounds.Timeout * 1.25 }, time, logger);

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        _bounded.ReadAsync(key, cancellationToken);

    /// <summary>A read that readies the write which follows it, where the store knows how.</summary>
    public ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default) =>
        _bounded.ReadToWriteAsync(key, cancellationToken);

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        _bounded.WriteAsync(key, value, expected, cancellationToken);

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        _bounded.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        _bounded.ListAsync(prefix, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, string? after, CancellationToken cancellationToken = default) =>
        _bounded.ListAsync(prefix, after, cancellationToken);

    private sealed class Timed(IConditionalStore store, TimeSpan limit, TimeProvider time) : IConditionalStore, IWritePreparation
    {
        public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
            InTimeAsync(token => store.ReadAsync(key, token), StoreRead.Unknown, cancellationToken);

        public ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default) => InTimeAsync(
            token => store is IWritePreparation preparing ? preparing.ReadToWriteAsync(key, token) : store.ReadAsync(key, token),
            StoreRead.Unknown, cancellationToken);

        public ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
            InTimeAsync(token => store.WriteAsync(key, value, expected, token), StoreWrite.Unknown, cancellationToken);

        public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
            InTimeAsync(token => store.DeleteAsync(key, expected, token), StoreWrite.Unknown, cancellationToken);

        public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
            store.ListAsync(prefix, cancellationToken);

        public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, string? after, CancellationToken cancellationToken = default) =>
            store.ListAsync(prefix, after, cancellationToken);

        private async ValueTask<T> InTimeAsync<T>(
            Func<CancellationToken, ValueTask<T>> operation, Func<string, T> unknown, CancellationToken cancellationToken)
        {
            using var late = new CancellationTokenSource(limit, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
            try
            {
                return await operation(either.Token);
            }
            catch (OperationCanceledException) when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
            {
                return unknown($"no majority answered within {limit.TotalSeconds:0.###} s");
            }
            catch (GeoUnavailableException e)
            {
                return unknown(e.Message);
            }
        }
    }
}
