using System.Runtime.CompilerServices;

namespace Geo.Testing;

/// <summary>
/// A conditional store as a cluster sees it over a network, in virtual time: what has left the caller takes effect on its own, whether or
/// not the caller still waits or lives. Several of these may share one inner store, each with its own trouble on the way.
/// </summary>
public sealed class SimulatedStore : IConditionalStore
{
    private readonly IConditionalStore _inner;
    private readonly SimulationScheduler _scheduler;
    private readonly Random _random;
    private readonly string _name;
    private readonly SimulationTrace? _trace;

    /// <summary>Creates the way to a store.</summary>
    /// <param name="inner">The store, which answers synchronously, as <see cref="InMemoryConditionalStore"/> does.</param>
    /// <param name="scheduler">The scheduler on whose clock operations travel.</param>
    /// <param name="random">Decides each operation's fate.</param>
    /// <param name="name">The name that the trace shows.</param>
    /// <param name="options">How the store misbehaves; reliable with delays when null.</param>
    /// <param name="trace">Where each operation is noted; nowhere when null.</param>
    public SimulatedStore(
        IConditionalStore inner, SimulationScheduler scheduler, Random random, string name, SimulatedStoreOptions? options = null,
        SimulationTrace? trace = null)
    {
        ArgumentNullException.ThrowIfNull(inner);
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(random);
        (_inner, _scheduler, _random, _name, _trace) = (inner, scheduler, random, name, trace);
        Options = (options ?? new SimulatedStoreOptions()).Checked();
    }

    private enum Fate
    {
        Answered,
        RequestLost,
        ReplyLost,
        Late,
    }

    /// <summary>How the store misbehaves from now on.</summary>
    public SimulatedStoreOptions Options { get; }

    /// <summary>What it has answered so far.</summary>
    public SimulatedStoreCounts Counts { get; } = new();

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        CarryAsync("read", key, canBeLate: false, () => Now(_inner.ReadAsync(key, CancellationToken.None)), StoreRead.Unknown, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var bytes = value.ToArray();
        return CarryAsync(
            "write", key, canBeLate: true, () => Count(key, Now(_inner.WriteAsync(key, bytes, expected, CancellationToken.None))),
            StoreWrite.Unknown, cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        CarryAsync(
            "delete", key, canBeLate: true, () => Count(key, Now(_inner.DeleteAsync(key, expected, CancellationToken.None))),
            StoreWrite.Unknown, cancellationToken);

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await Task.Delay(Delay(), _scheduler.Time, cancellationToken);
        await foreach (var entry in _inner.ListAsync(prefix, cancellationToken))
        {
            if (Options.Unreachable || Chance(Options.LostRequests))
            {
                Counts.UnknownWithoutEffect++;
                throw new GeoUnavailableException($"The store '{_name}' does not answer; listing '{prefix}' broke off.");
            }

            yield return entry;
        }
    }

    private static T Now<T>(ValueTask<T> operation) =>
        operation.IsCompleted
            ? operation.GetAwaiter().GetResult()
            : throw new InvalidOperationException("The store under a simulated store must answer synchronously.");

    private async ValueTask<T> CarryAsync<T>(
        string what, string key, bool canBeLate, Func<T> take, Func<string, T> unknown, CancellationToken cancellationToken)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        Counts.Operations++;
        var fate = ChooseFate(canBeLate);
        _trace?.Note($"{_name} {what} {key}{(fate == Fate.Answered ? "" : $" {fate}")}");
        var answered = new TaskCompletionSource<T>();
        var silence = unknown($"The store '{_name}' did not answer in time.");
        var delay = Delay();
        switch (fate)
        {
            case Fate.Answered:
                At(delay / 2, () =>
                {
                    var answer = Try(take);
                    At(delay / 2, () => Settle(answered, answer));
                });
                break;
            case Fate.ReplyLost:
                Counts.UnknownWithEffect++;
                At(delay / 2, () => Try(take));
                At(Options.Timeout, () => answered.TrySetResult(silence));
                break;
            case Fate.Late:
                Counts.UnknownLate++;
                At(Options.Timeout + (Options.MaxLateness * _random.NextDouble()), () => Try(take));
                At(Options.Timeout, () => answered.TrySetResult(silence));
                break;
            default:
                Counts.UnknownWithoutEffect++;
                At(Options.Timeout, () => answered.TrySetResult(silence));
                break;
        }

        using var cancelled = cancellationToken.Register(
            () => answered.TrySetResult(unknown($"The wait for the store '{_name}' was cancelled.")));
        return await answered.Task;
    }

    private Fate ChooseFate(bool canBeLate) =>
        Options.Unreachable || Chance(Options.LostRequests) ? Fate.RequestLost
        : Chance(Options.LostReplies) ? Fate.ReplyLost
        : canBeLate && Chance(Options.Late) ? Fate.Late
        : Fate.Answered;

    private static (T? Answer, Exception? Refusal) Try<T>(Func<T> take)
    {
        try
        {
            return (take(), null);
        }
        catch (GeoStorageException e)
        {
            return (default, e);
        }
    }

    private static void Settle<T>(TaskCompletionSource<T> answered, (T? Answer, Exception? Refusal) end)
    {
        if (end.Refusal is { } refusal)
        {
            answered.TrySetException(refusal);
        }
        else
        {
            answered.TrySetResult(end.Answer!);
        }
    }

    private StoreWrite Count(string key, StoreWrite write)
    {
        Counts.Conflicts += write.Outcome == StoreWriteOutcome.Conflict ? 1 : 0;
        _trace?.Note($"{_name} {key} {write.Outcome}");
        return write;
    }

    private bool Chance(double probability) => probability > 0 && _random.NextDouble() < probability;

    private TimeSpan Delay() => Options.MinDelay + ((Options.MaxDelay - Options.MinDelay) * _random.NextDouble());

    private void At(TimeSpan delay, Action action) => _scheduler.Time.Schedule(delay, action);
}
