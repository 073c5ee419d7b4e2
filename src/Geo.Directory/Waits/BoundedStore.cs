using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// A store of which every operation ends within <see cref="StoreBounds.Timeout"/>, as unknown where the store itself does not end it, even
/// one that ignores its token. An operation that is not waited for any more is left to itself and counted; while too many
/// of them have not ended, none is begun but one now and then. What ends at once costs nothing more.
/// </summary>
internal sealed class BoundedStore(IConditionalStore store, StoreBounds bounds, TimeProvider time, ILogger logger) : IConditionalStore
{
    private readonly AbandonedOperations _abandoned = new(bounds.MaxAbandoned, time);

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        if (!_abandoned.MayBegin())
        {
            return new(StoreRead.Unknown(Refuse()));
        }

        var read = store.ReadAsync(key, cancellationToken);
        return read.IsCompleted ? Ended(read) : BoundAsync(read.AsTask(), key, StoreRead.Unknown, cancellationToken);
    }

    /// <summary>A read that readies the write which follows it, where the store knows how.</summary>
    public ValueTask<StoreRead> ReadToWriteAsync(string key, CancellationToken cancellationToken = default)
    {
        if (store is not IWritePreparation preparing)
        {
            return ReadAsync(key, cancellationToken);
        }

        if (!_abandoned.MayBegin())
        {
            return new(StoreRead.Unknown(Refuse()));
        }

        var read = preparing.ReadToWriteAsync(key, cancellationToken);
        return read.IsCompleted ? Ended(read) : BoundAsync(read.AsTask(), key, StoreRead.Unknown, cancellationToken);
    }

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        if (!_abandoned.MayBegin())
        {
            return new(StoreWrite.Unknown(Refuse()));
        }

        var write = store.WriteAsync(key, value, expected, cancellationToken);
        return write.IsCompleted ? Ended(write) : BoundAsync(write.AsTask(), key, StoreWrite.Unknown, cancellationToken);
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        if (!_abandoned.MayBegin())
        {
            return new(StoreWrite.Unknown(Refuse()));
        }

        var delete = store.DeleteAsync(key, expected, cancellationToken);
        return delete.IsCompleted ? Ended(delete) : BoundAsync(delete.AsTask(), key, StoreWrite.Unknown, cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="GeoUnavailableException">Also when the next entry does not come in time.</exception>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        ListAsync(prefix, after: null, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="GeoUnavailableException">Also when the next entry does not come in time.</exception>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        if (!_abandoned.MayBegin())
        {
            throw new GeoUnavailableException($"The rows under '{prefix}' cannot be listed: {Refuse()}.");
        }

        var list = (after is null ? store.ListAsync(prefix, cancellationToken) : store.ListAsync(prefix, after, cancellationToken))
            .GetAsyncEnumerator(cancellationToken);
        Task<bool>? moving = null;
        try
        {
            // As long as the list: each step has its bound.
            while (true)
            {
                var next = list.MoveNextAsync();
                var more = next.IsCompleted ? await next : await BoundedMoveAsync(moving = next.AsTask(), prefix, cancellationToken);
                if (!more)
                {
                    break;
                }

                yield return list.Current;
            }
        }
        finally
        {
            var ending = EndAsync(list, moving);
            if (!await ending.EndsWithinAsync(
                moving is { IsCompleted: false } ? TimeSpan.Zero : bounds.Timeout, time, cancellationToken))
            {
                _ = AbandonAsync(ending, prefix);
            }
        }
    }

    /// <summary>An enumerator may be disposed of only when it does not move any more.</summary>
    private static async Task EndAsync(IAsyncEnumerator<StoreEntry> list, Task? moving)
    {
        if (moving is not null)
        {
            await Patience.EndAsync(moving);
        }

        await list.DisposeAsync();
    }

    private async Task<bool> BoundedMoveAsync(Task<bool> moving, string prefix, CancellationToken cancellationToken)
    {
        if (await moving.EndsWithinAsync(bounds.Timeout, time, cancellationToken))
        {
            return await moving;
        }

        cancellationToken.ThrowIfCancellationRequested();
        throw new GeoUnavailableException($"The rows under '{prefix}' cannot be listed: {TimedOut("list", prefix)}.");
    }

    private async ValueTask<T> BoundAsync<T>(Task<T> operation, string key, Func<string, T> unknown, CancellationToken cancellationToken)
    {
        if (await operation.EndsWithinAsync(bounds.Timeout, time, cancellationToken))
        {
            _abandoned.Ended();
            return await operation;
        }

        _ = AbandonAsync(operation, key);
        return unknown(cancellationToken.IsCancellationRequested ? "it is not waited for any more" : TimedOut("operation", key));
    }

    private ValueTask<T> Ended<T>(ValueTask<T> operation)
    {
        _abandoned.Ended();
        return operation;
    }

    private async Task AbandonAsync(Task operation, string key)
    {
        await _abandoned.AddAsync(operation);
        if (operation.IsFaulted)
        {
            logger.AbandonedOperationFailed(key, operation.Exception);
        }
    }

    private string TimedOut(string what, string key)
    {
        bounds.TimedOut?.Invoke();
        logger.StoreTimedOut(what, key, bounds.Timeout);
        return $"it did not answer within {bounds.Timeout.TotalSeconds:0.###} s";
    }

    private string Refuse()
    {
        bounds.Refused?.Invoke();
        return $"{bounds.MaxAbandoned} operations of it have not ended yet";
    }
}
