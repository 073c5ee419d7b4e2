using System.Runtime.CompilerServices;

namespace Geo.Testing.Storage;

/// <summary>
/// A store whose answers get lost: unknown with effect, without effect and with effect later, from a seed. It never lies: what it
/// answers otherwise is true, and a conflict always is one.
/// </summary>
/// <remarks>With one seed and operations that come in one order the same faults come again. Safe for use by several threads.</remarks>
public sealed class FaultyConditionalStore : IConditionalStore
{
    private readonly Lock _lock = new();
    private readonly IConditionalStore _inner;
    private readonly Random _random;
    private readonly TimeProvider _time;
    private readonly HashSet<Task> _delayed = [];
    private StoreFaults _faults = new();

    /// <summary>Creates the store.</summary>
    /// <param name="inner">The store that works.</param>
    /// <param name="faults">How often what fails.</param>
    /// <param name="random">The source of randomness; used by this store alone.</param>
    /// <param name="time">The clock that delayed effects wait on.</param>
    public FaultyConditionalStore(IConditionalStore inner, StoreFaults faults, Random random, TimeProvider time)
    {
        (_inner, _random, _time) = (inner, random, time);
        Faults = faults;
    }

    private enum Fate
    {
        Normal,
        LostBefore,
        LostAfter,
        Delayed,
    }

    /// <summary>How often what fails; may be changed at any time.</summary>
    /// <exception cref="System.ComponentModel.DataAnnotations.ValidationException">A probability is out of range.</exception>
    public StoreFaults Faults
    {
        get => _faults;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            value.Validate();
            _faults = value;
        }
    }

    /// <summary>While true every operation is unknown and has no effect, except for effects delayed before.</summary>
    public bool Unreachable { get; set; }

    /// <summary>How many operations were made unknown so far.</summary>
    public long Faulted { get; private set; }

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        return IsReadLost() ? new(StoreRead.Unknown("injected: the read was lost")) : _inner.ReadAsync(key, cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        var fate = NextFate();

        // The caller may use its memory again once it has its answer, which a delayed write outlives.
        var kept = fate == Fate.Delayed ? value.ToArray() : value;
        return ChangeAsync(fate, ct => _inner.WriteAsync(key, kept, expected, ct), cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        return ChangeAsync(NextFate(), ct => _inner.DeleteAsync(key, expected, ct), cancellationToken);
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        cancellationToken.ThrowIfCancellationRequested();
        if (IsReadLost())
        {
            throw new GeoUnavailableException("Injected: the list was lost. Try again.");
        }

        await foreach (var entry in _inner.ListAsync(prefix, cancellationToken))
        {
            yield return entry;
        }
    }

    /// <summary>Waits until every delayed effect has taken place or met its conflict.</summary>
    public async Task SettleAsync()
    {
        while (true)
        {
            Task[] delayed;
            lock (_lock)
            {
                _delayed.RemoveWhere(task => task.IsCompletedSuccessfully);
                delayed = [.. _delayed];
            }

            if (delayed.Length == 0)
            {
                return;
            }

            await Task.WhenAll(delayed);
        }
    }

    private async ValueTask<StoreWrite> ChangeAsync(
        Fate fate, Func<CancellationToken, ValueTask<StoreWrite>> change, CancellationToken cancellationToken)
    {
        switch (fate)
        {
            case Fate.LostBefore:
                return StoreWrite.Unknown("injected: the request was lost");
            case Fate.LostAfter:
                await change(CancellationToken.None);
                return StoreWrite.Unknown("injected: the answer was lost");
            case Fate.Delayed:
                Delay(change);
                return StoreWrite.Unknown("injected: the request is late");
            default:
                return await change(cancellationToken);
        }
    }

    private void Delay(Func<CancellationToken, ValueTask<StoreWrite>> change)
    {
        lock (_lock)
        {
            var delayed = ChangeLaterAsync(change, _faults.MaxDelay * _random.NextDouble());
            _delayed.RemoveWhere(task => task.IsCompletedSuccessfully);
            _delayed.Add(delayed);
        }
    }

    private async Task ChangeLaterAsync(Func<CancellationToken, ValueTask<StoreWrite>> change, TimeSpan delay)
    {
        await Task.Delay(delay, _time);
        await change(CancellationToken.None);
    }

    private bool IsReadLost()
    {
        lock (_lock)
        {
            return Counted(Unreachable || _random.NextDouble() < _faults.ReadLost);
        }
    }

    private Fate NextFate()
    {
        lock (_lock)
        {
            var drawn = _random.NextDouble();
            var fate = Unreachable || drawn < _faults.LostBefore ? Fate.LostBefore
                : drawn < _faults.LostBefore + _faults.LostAfter ? Fate.LostAfter
                : drawn < _faults.LostBefore + _faults.LostAfter + _faults.Delayed ? Fate.Delayed
                : Fate.Normal;
            Counted(fate != Fate.Normal);
            return fate;
        }
    }

    private bool Counted(bool fault)
    {
        Faulted += fault ? 1 : 0;
        return fault;
    }
}
