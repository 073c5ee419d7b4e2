using System.Runtime.CompilerServices;

namespace Geo.Testing.Storage;

/// <summary>
/// An emulated cloud storage account: serves a fixed number of operations a second and queues the rest in the order in which they came.
/// </summary>
/// <remarks>
/// Operations have slots, one interval apart. A timer of at least 1 ms releases every operation whose slot has come, so that a late tick
/// costs no throughput, and time during which nothing waits earns no credit. A list takes one slot.
/// </remarks>
public sealed class RateLimitedConditionalStore : IConditionalStore, IDisposable
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private readonly Lock _lock = new();
    private readonly IConditionalStore _inner;
    private readonly RateLimitOptions _options;
    private readonly TimeProvider _time;
    private readonly long _started;
    private readonly ITimer _timer;
    private readonly LinkedList<TaskCompletionSource> _waiting = new();
    private readonly TimeSpan _interval;
    private TimeSpan _nextSlot;

    /// <summary>Creates the store.</summary>
    /// <param name="inner">The store that does the work.</param>
    /// <param name="options">The limits.</param>
    /// <param name="time">The clock of the slots.</param>
    /// <exception cref="GeoConfigurationException">A limit is out of range.</exception>
    public RateLimitedConditionalStore(IConditionalStore inner, RateLimitOptions options, TimeProvider time)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(time);
        (_inner, _options, _time, _started) = (inner, options.Checked(), time, time.GetTimestamp());
        _interval = TimeSpan.FromSeconds(1) / options.OperationsPerSecond;
        _timer = time.CreateTimer(
            static store => ((RateLimitedConditionalStore)store!).Release(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>How many operations were let through so far.</summary>
    public long Served { get; private set; }

    /// <summary>How many operations found the queue full so far.</summary>
    public long Rejected { get; private set; }

    /// <summary>How many operations wait now.</summary>
    public int Queued
    {
        get
        {
            lock (_lock)
            {
                return _waiting.Count;
            }
        }
    }

    private string Busy => $"busy: {_options.MaxQueued} operations are waiting for the storage account already";

    /// <inheritdoc/>
    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return await ServedAsync(cancellationToken) ? await _inner.ReadAsync(key, cancellationToken) : StoreRead.Unknown(Busy);
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return await ServedAsync(cancellationToken)
            ? await _inner.WriteAsync(key, value, expected, cancellationToken)
            : StoreWrite.Unknown(Busy);
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return await ServedAsync(cancellationToken) ? await _inner.DeleteAsync(key, expected, cancellationToken) : StoreWrite.Unknown(Busy);
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        if (!await ServedAsync(cancellationToken))
        {
            throw new GeoUnavailableException($"The storage account is {Busy}. Try again later.");
        }

        await foreach (var entry in _inner.ListAsync(prefix, cancellationToken))
        {
            yield return entry;
        }
    }

    /// <summary>Stops the timer; operations that wait are cancelled.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        TaskCompletionSource[] waiting;
        lock (_lock)
        {
            waiting = [.. _waiting];
            _waiting.Clear();
        }

        Array.ForEach(waiting, operation => operation.TrySetCanceled());
    }

    /// <summary>Waits for a slot; false when the queue is full.</summary>
    private ValueTask<bool> ServedAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        LinkedListNode<TaskCompletionSource> node;
        lock (_lock)
        {
            var now = Now();
            if (_waiting.Count == 0 && _nextSlot <= now)
            {
                _nextSlot = now + _interval;
                Served++;
                return new(true);
            }

            if (_waiting.Count >= _options.MaxQueued)
            {
                Rejected++;
                return new(false);
            }

            node = _waiting.AddLast(new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
            if (_waiting.Count == 1)
            {
                Arm(now);
            }
        }

        return SlotAsync(node, cancellationToken);
    }

    private async ValueTask<bool> SlotAsync(LinkedListNode<TaskCompletionSource> node, CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.UnsafeRegister(
            (_, token) =>
            {
                lock (_lock)
                {
                    if (node.List is null)
                    {
                        return;
                    }

                    _waiting.Remove(node);
                }

                node.Value.TrySetCanceled(token);
            },
            null);
        await node.Value.Task;
        return true;
    }

    private void Release()
    {
        var released = new List<TaskCompletionSource>();
        lock (_lock)
        {
            var now = Now();
            while (_waiting.First is { } first && _nextSlot <= now)
            {
                _waiting.RemoveFirst();
                _nextSlot += _interval;
                Served++;
                released.Add(first.Value);
            }

            if (_waiting.Count > 0)
            {
                Arm(now);
            }
        }

        released.ForEach(operation => operation.TrySetResult());
    }

    private void Arm(TimeSpan now)
    {
        var wait = _nextSlot - now;
        _timer.Change(wait > Tick ? wait : Tick, Timeout.InfiniteTimeSpan);
    }

    private TimeSpan Now() => _time.GetElapsedTime(_started);
}
