using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// A grain of the standard simulation with a stored state that it keeps in memory, a timer that calls other grains, and no versions: what
/// it shows is what it has stored, because trouble with a write ends the activation.
/// </summary>
internal abstract class LedgerGrain(IPersistentState<SimulatedLog> state, StandardRun run) : Grain, ILogGrain
{
    private static readonly TimeSpan TickPeriod = TimeSpan.FromSeconds(3);

    private int _ticks;

    private string Name => field ??= $"{RuntimeIdentity} {IdentityString}";

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        this.RegisterGrainTimer(TickAsync, TickPeriod, TickPeriod);
        return Task.CompletedTask;
    }

    public Task Append(int[] updates) => StoreAsync(updates);

    public async Task<bool> AppendIf(int update)
    {
        await StoreAsync([update]);
        return true;
    }

    public Task Enqueue(int update) => StoreAsync([update]);

    public Task<LogPrefix> Read() => Task.FromResult(Look());

    [ReadOnly]
    public Task<LogPrefix> Peek() => Task.FromResult(Look());

    public async Task<int[]> Dump()
    {
        await state.ReadStateAsync();
        Look();
        return [.. state.State.Updates];
    }

    public async Task<int> Survey(string[] others)
    {
        var seen = await Task.WhenAll(others.Select(key => GrainFactory.GetGrain<ILogGrain>(key, GetType().FullName).Peek()));
        return seen.Sum(s => s.Count);
    }

    public Task<bool> Linger(int milliseconds) => run.LingerAsync(IdentityString, milliseconds, ServiceProvider);

    public Task Hang() => new TaskCompletionSource().Task;

    public Task Leave()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    private async Task StoreAsync(int[] updates)
    {
        state.State.Updates.AddRange(updates);
        await state.WriteStateAsync();
        Look();
    }

    private LogPrefix Look()
    {
        var seen = state.State.Prefix();
        run.Observe(IdentityString, Name, seen);
        return seen;
    }

    /// <summary>A tick is a turn: it may call the versioned grains, and must not see a half-stored state.</summary>
    private async Task TickAsync()
    {
        _ticks++;
        Look();
        var seen = await Task.WhenAll(
            GrainFactory.GetGrain<ILogGrain>("1", run.Ticked.FullName).Peek(),
            GrainFactory.GetGrain<ILogGrain>("2", run.Ticked.FullName).Peek());
        run.World.Trace.Note($"{Name} tick {_ticks} {string.Join(' ', seen.Select(s => s.Count))}");
    }
}
