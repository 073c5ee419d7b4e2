using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Fences dead silos off, so that their grains can be taken over: no lease is renewed once the fence stands, and the last one has run out
/// when a fence's wait ends.
/// </summary>
/// <param name="rows">The row store of the cluster.</param>
/// <param name="duration">What a lease lasts where its row does not say.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class SiloFences(IConditionalStore rows, TimeSpan duration, TimeProvider time, ILogger logger) : IDisposable
{
    // Clocks of two machines run at almost the same rate: a tenth more covers what is missing.
    internal const double Margin = 1.1;

    // Of a silo that is called dead and goes on renewing; whoever waits for its end asks again.
    private const int MaxTries = 3;

    // What is left of a lease that has run out: next to nothing, for it says how long whoever finds the fence waits.
    private static readonly TimeSpan Over = TimeSpan.FromTicks(1);

    private readonly ConcurrentDictionary<string, Lazy<Task<SiloEnd>>> _fencing = new(StringComparer.Ordinal);
    private readonly CancellationTokenSource _lifetime = new();
    private TaskScheduler? _home;

    /// <summary>
    /// From here on silos can be fenced. The work is done on the caller's synchronization context or task scheduler, whoever asks for it.
    /// </summary>
    public void Start() =>
        _home = SynchronizationContext.Current is null ? TaskScheduler.Current : TaskScheduler.FromCurrentSynchronizationContext();

    /// <summary>True when the silo certainly serves no call any more. Never waits; the first question starts the fencing.</summary>
    /// <param name="node">A silo that is not, or no longer, a living member of the cluster.</param>
    /// <param name="isDead">
    /// True when the membership says that it is dead; false when the membership does not know it, in which case it is fenced only after it
    /// has let its lease run out.
    /// </param>
    public bool IsGone(string node, bool isDead)
    {
        var fencing = Fencing(node, isDead);
        if (fencing.Value is { IsCompleted: true, Result: not SiloEnd.Gone })
        {
            // It came to nothing, and starts over.
            _fencing.TryRemove(new(node, fencing));
            fencing = Fencing(node, isDead);
        }

        return fencing.Value is { IsCompleted: true, Result: SiloEnd.Gone };
    }

    /// <summary>
    /// As <see cref="IsGone"/>, and waits for what one attempt comes to.
    /// </summary>
    /// <param name="node">A silo that is not, or no longer, a living member of the cluster.</param>
    /// <param name="isDead">True when the membership says that it is dead.</param>
    /// <param name="cancellationToken">Ends the wait, not the fencing.</param>
    public async Task<SiloEnd> EndOfAsync(string node, bool isDead, CancellationToken cancellationToken)
    {
        var fencing = Fencing(node, isDead);
        var end = await fencing.Value.WaitAsync(cancellationToken);
        if (end != SiloEnd.Gone)
        {
            _fencing.TryRemove(new(node, fencing));
        }

        return end;
    }

    /// <summary>True of a silo that is known to be gone, whatever the membership says of it. Asks nobody.</summary>
    public bool IsKnownGone(string node) =>
        _fencing.TryGetValue(node, out var fencing) && fencing.IsValueCreated
        && fencing.Value is { IsCompletedSuccessfully: true, Result: SiloEnd.Gone };

    /// <summary>
    /// Fences a silo off whose lease has run out: since its row was read for the first time as it still is, the lease's duration and the
    /// margin have passed.
    /// </summary>
    /// <returns>What is known of it: it has renewed after all where the fence was refused.</returns>
    public async Task<SiloEnd> TryEndExpiredAsync(string node, ETag lease, CancellationToken cancellationToken)
    {
        var fence = new LeaseRow { IsFenced = true, Duration = Over, WrittenAt = time.GetUtcNow() };
        var written = await rows.WriteAsync(LeaseRow.KeyOf(node), fence.Encode(), lease, cancellationToken);
        if (written.Outcome != StoreWriteOutcome.Applied)
        {
            return written.Outcome == StoreWriteOutcome.Unknown ? SiloEnd.Unknown : SiloEnd.Living;
        }

        _fencing[node] = new(Task.FromResult(SiloEnd.Gone));
        return SiloEnd.Gone;
    }

    private Lazy<Task<SiloEnd>> Fencing(string node, bool isDead) => _fencing.GetOrAdd(
        node,
        static (key, own) => new Lazy<Task<SiloEnd>>(() => own.Fences.OnHome(() => own.Fences.TryFenceAsync(key, own.IsDead))),
        (Fences: this, IsDead: isDead));

    public void Dispose()
    {
        _lifetime.Cancel();
        _lifetime.Dispose();
    }

    private Task<SiloEnd> OnHome(Func<Task<SiloEnd>> work) => Task.Factory.StartNew(
        work, CancellationToken.None, TaskCreationOptions.DenyChildAttach,
        _home ?? throw new InvalidOperationException("Silos are fenced off only after Start; call it first.")).Unwrap();

    private async Task<SiloEnd> TryFenceAsync(string node, bool isDead)
    {
        try
        {
            return await FenceAsync(node, isDead, _lifetime.Token);
        }
        catch (OperationCanceledException)
        {
            return SiloEnd.Unknown;
        }
        catch (Exception e)
        {
            // Whoever waits for the fence asks again.
            logger.FenceFailed(node, e);
            return SiloEnd.Unknown;
        }
    }

    private async Task<SiloEnd> FenceAsync(string node, bool isDead, CancellationToken cancellationToken)
    {
        var key = LeaseRow.KeyOf(node);
        ETag? before = null;
        for (var tries = 1; ; tries++)
        {
            var read = await rows.ReadAsync(key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                return SiloEnd.Unknown;
            }

            // A row that nobody can read is fenced off as any other: should its silo live, it must not renew it.
            var row = LeaseRow.Of(read, unreadable: new LeaseRow { Duration = duration });
            var wait = SwitchedOff.Is(ProtocolRule.FenceIsAwaited) ? TimeSpan.Zero : (row?.Duration ?? TimeSpan.Zero) * Margin;
            if (row is not { IsFenced: true })
            {
                // Where the row is the one that it was, nobody heard what became of the fence; where it is gone, nobody has renewed.
                if (tries > (isDead || row is null ? MaxTries : 1))
                {
                    return row is not null && read.ETag != before ? SiloEnd.Living : SiloEnd.Unknown;
                }

                before = read.ETag;
                if (!isDead)
                {
                    // A silo that nobody calls dead is given the time to renew. If it does not, its lease has run out by then.
                    await Task.Delay(wait, time, cancellationToken);
                    wait = TimeSpan.Zero;
                }

                // A silo that renewed meanwhile makes this write fail, and so does another one's fence: the row says which.
                var fence = new LeaseRow { IsFenced = true, Duration = row?.Duration ?? duration, WrittenAt = time.GetUtcNow() };
                var written = await rows.WriteAsync(key, fence.Encode(), read.ETag, cancellationToken);
                if (written.Outcome != StoreWriteOutcome.Applied)
                {
                    continue;
                }
            }

            // Where there was no row, there was no lease: it was given back, or the silo was fenced off long ago.
            await Task.Delay(wait, time, cancellationToken);
            logger.SiloFenced(node);
            return SiloEnd.Gone;
        }
    }
}
