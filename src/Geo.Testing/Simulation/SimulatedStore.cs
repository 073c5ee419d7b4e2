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
    private readonly ChoiceTape _choices;
    private readonly string _name;
    private readonly SimulationTrace? _trace;
    private readonly List<(SimulatedSilo? Caller, Action End)> _hanging = [];

    // The silos that it alone does not answer; true where it hangs.
    private readonly Dictionary<SimulatedSilo, bool> _cutOff = [];

    /// <summary>Creates the way to a store.</summary>
    /// <param name="inner">The store, which answers synchronously, as <see cref="InMemoryConditionalStore"/> does.</param>
    /// <param name="scheduler">The scheduler on whose clock operations travel.</param>
    /// <param name="choices">Decides each operation's fate.</param>
    /// <param name="name">The name that the trace shows.</param>
    /// <param name="options">How the store misbehaves; reliable with delays when null.</param>
    /// <param name="trace">Where each operation is noted; nowhere when null.</param>
    public SimulatedStore(
        IConditionalStore inner, SimulationScheduler scheduler, ChoiceTape choices, string name, SimulatedStoreOptions? options = null,
        SimulationTrace? trace = null)
    {
        ArgumentNullException.ThrowIfNull(inner);
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(choices);
        (_inner, _scheduler, _choices, _name, _trace) = (inner, scheduler, choices, name, trace);
        Options = (options ?? new SimulatedStoreOptions()).Checked();
    }

    private enum Fate
    {
        Answered,
        RequestLost,
        ReplyLost,
        Late,
        Hanging,
    }

    /// <summary>The name that the trace shows.</summary>
    public string Name => _name;

    /// <summary>How the store misbehaves from now on.</summary>
    public SimulatedStoreOptions Options { get; }

    /// <summary>When operations that had hung last took effect, long after they were begun; null while none have.</summary>
    internal TimeSpan? HungUntil { get; private set; }

    /// <summary>Told of each operation that is about to leave a lane; false when it never does, because the lane was halted.</summary>
    internal Func<string, bool>? OnPoint { get; set; }

    /// <summary>Writes and deletes that a test holds up on their way.</summary>
    internal IHeldWrites? Held { get; set; }

    /// <summary>What it has answered so far.</summary>
    public SimulatedStoreCounts Counts { get; } = new();

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        CarryAsync(
            "read", key, isHeld: null, () => Now(_inner.ReadAsync(key, CancellationToken.None)), StoreRead.Unknown, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var bytes = value.ToArray();
        return CarryAsync(
            "write", key, () => Held?.Holds(key, bytes, expected) == true,
            () => Count(key, Now(_inner.WriteAsync(key, bytes, expected, CancellationToken.None))), StoreWrite.Unknown, cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        CarryAsync(
            "delete", key, () => Held?.Holds(key, default, expected) == true,
            () => Count(key, Now(_inner.DeleteAsync(key, expected, CancellationToken.None))), StoreWrite.Unknown, cancellationToken);

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await Task.Delay(Delay(), _scheduler.Time, cancellationToken);
        if (IsHanging)
        {
            var ended = new TaskCompletionSource();
            _hanging.Add((Caller, () => ended.TrySetResult()));
            using var cancelled = cancellationToken.Register(() => _ = !Options.IgnoresTokens && ended.TrySetCanceled(cancellationToken));
            await ended.Task;
        }

        await foreach (var entry in _inner.ListAsync(prefix, cancellationToken))
        {
            if (IsUnreachable || _choices.Chance(Options.LostRequests))
            {
                Counts.UnknownWithoutEffect++;
                throw new GeoUnavailableException($"The store '{_name}' does not answer; listing '{prefix}' broke off.");
            }

            yield return entry;
        }
    }

    /// <summary>Ends what hangs: each operation as unknown, with effect or without.</summary>
    public void EndHanging()
    {
        Options.Hangs = false;
        End(_ => true);
    }

    /// <summary>
    /// One silo alone does not reach the store from now on, while others of its cluster do: its operations are unknown, without effect. It
    /// lasts over crashes and starts of the silo, until <see cref="Mend"/>.
    /// </summary>
    /// <param name="silo">The silo.</param>
    /// <param name="hangs">True where its operations are not answered at all, as with <see cref="SimulatedStoreOptions.Hangs"/>.</param>
    public void CutOff(SimulatedSilo silo, bool hangs = false)
    {
        ArgumentNullException.ThrowIfNull(silo);
        _trace?.Note($"{_name} {(hangs ? "hangs for" : "is out of reach of")} {silo}");
        _cutOff[silo] = hangs;
    }

    /// <summary>A silo reaches the store again; its operations that hang end as unknown, with effect or without.</summary>
    public void Mend(SimulatedSilo silo)
    {
        ArgumentNullException.ThrowIfNull(silo);
        _trace?.Note($"{_name} answers {silo} again");
        if (_cutOff.Remove(silo, out var hangs) && hangs)
        {
            End(caller => caller == silo);
        }
    }

    /// <summary>True between <see cref="CutOff"/> and <see cref="Mend"/>.</summary>
    public bool IsCutOff(SimulatedSilo silo) => _cutOff.ContainsKey(silo);

    /// <summary>Nothing is wrong with it any more, for nobody.</summary>
    internal void EndFaults()
    {
        (Options.LostRequests, Options.LostReplies, Options.Late) = (0, 0, 0);
        (Options.Unreachable, Options.LosesWrites, Options.IgnoresTokens) = (false, false, false);
        _cutOff.Clear();
        EndHanging();
    }

    /// <summary>The silo whose step runs; null outside of silos.</summary>
    private static SimulatedSilo? Caller => SimulationLane.Running?.Process.Silo;

    private bool IsHanging => Options.Hangs || (Caller is { } silo && _cutOff.GetValueOrDefault(silo));

    private bool IsUnreachable => Options.Unreachable || (Caller is { } silo && _cutOff.ContainsKey(silo));

    private void End(Func<SimulatedSilo?, bool> isOver)
    {
        HungUntil = _scheduler.Time.Elapsed;
        var ending = _hanging.Where(hanging => isOver(hanging.Caller)).ToArray();
        _hanging.RemoveAll(hanging => isOver(hanging.Caller));
        foreach (var (_, end) in ending)
        {
            end();
        }
    }

    private static T Now<T>(ValueTask<T> operation) =>
        operation.IsCompleted
            ? operation.GetAwaiter().GetResult()
            : throw new InvalidOperationException("The store under a simulated store must answer synchronously.");

    private async ValueTask<T> CarryAsync<T>(
        string what, string key, Func<bool>? isHeld, Func<T> take, Func<string, T> unknown, CancellationToken cancellationToken)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        if (OnPoint?.Invoke(what) == false)
        {
            return await new TaskCompletionSource<T>().Task;
        }

        Counts.Operations++;
        var fate = ChooseFate(isWrite: isHeld is not null);
        _trace?.Detail($"{_name} {what} {key}{NameOf(fate)}");
        var answered = new TaskCompletionSource<T>();
        var delay = Delay();
        switch (fate)
        {
            case Fate.Answered:
                Arrive(delay / 2, isHeld, HoldFor(isHeld), () =>
                {
                    var answer = Try(take);
                    At(delay / 2, () => Settle(answered, answer));
                });
                break;
            case Fate.ReplyLost:
                Counts.UnknownWithEffect++;
                At(delay / 2, () => Try(take));
                At(Options.Timeout, () => answered.TrySetResult(Silence()));
                break;
            case Fate.Late:
                Counts.UnknownLate++;
                At(Options.Timeout + _choices.Between(TimeSpan.Zero, Options.MaxLateness), () => Try(take));
                At(Options.Timeout, () => answered.TrySetResult(Silence()));
                break;
            case Fate.Hanging:
                _hanging.Add((Caller, EndHung));
                break;
            default:
                Counts.UnknownWithoutEffect++;
                At(Options.Timeout, () => answered.TrySetResult(Silence()));
                break;
        }

        using var cancelled = cancellationToken.Register(
            () => _ = !Options.IgnoresTokens && answered.TrySetResult(unknown($"The wait for the store '{_name}' was cancelled.")));
        return await answered.Task;

        void EndHung()
        {
            if (_choices.Chance(0.5))
            {
                Counts.UnknownWithEffect++;
                Try(take);
            }
            else
            {
                Counts.UnknownWithoutEffect++;
            }

            answered.TrySetResult(Silence());
        }

        T Silence() => unknown($"The store '{_name}' did not answer in time.");
    }

    private TimeSpan HoldFor(Func<bool>? isHeld) =>
        Held is null || isHeld is null ? TimeSpan.Zero : _choices.Between(TimeSpan.Zero, Held.MaxHold);

    private void Arrive(TimeSpan delay, Func<bool>? isHeld, TimeSpan holdFor, Action arrive) => At(delay, () =>
    {
        if (holdFor > TimeSpan.Zero && isHeld!())
        {
            Arrive(Options.MinDelay, isHeld, holdFor - Options.MinDelay, arrive);
        }
        else
        {
            arrive();
        }
    });

    private Fate ChooseFate(bool isWrite) =>
        IsHanging ? Fate.Hanging
        : IsUnreachable || (isWrite && Options.LosesWrites) || _choices.Chance(Options.LostRequests) ? Fate.RequestLost
        : _choices.Chance(Options.LostReplies) ? Fate.ReplyLost
        : isWrite && _choices.Chance(Options.Late) ? Fate.Late
        : Fate.Answered;

    private static string NameOf(Fate fate) => fate switch
    {
        Fate.RequestLost => " RequestLost",
        Fate.ReplyLost => " ReplyLost",
        Fate.Late => " Late",
        Fate.Hanging => " Hanging",
        _ => "",
    };

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
        _trace?.Detail($"{_name} {key} {write.Outcome}");
        return write;
    }

    private TimeSpan Delay() => _choices.Between(Options.MinDelay, Options.MaxDelay);

    private void At(TimeSpan delay, Action action) => _scheduler.Time.Schedule(delay, action);
}
