namespace Geo.Embedded.Tests;

public interface ITurns : IGrainWithStringKey
{
    Task Enter(string name);

    [ReadOnly]
    Task Look(string name);

    [AlwaysInterleave]
    Task Release(string name);

    [AlwaysInterleave]
    Task<string[]> Log();

    Task Plain();
}

/// <summary>Each call writes when it begins and ends, and waits in between until it is released.</summary>
public class TurnsGrain : Grain, ITurns
{
    private readonly List<string> _log = [];
    private readonly Dictionary<string, TaskCompletionSource> _gates = [];
    private int _inside;

    public Task Enter(string name) => Pass(name);

    public Task Look(string name) => Pass(name);

    public Task Release(string name)
    {
        Gate(name).TrySetResult();
        return Task.CompletedTask;
    }

    public Task<string[]> Log() => Task.FromResult(_log.ToArray());

    public async Task Plain()
    {
        // Between awaits nobody else may run: a lost update here means that turns overlapped.
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal(1, Interlocked.Increment(ref _inside));
            Thread.SpinWait(50);
            Interlocked.Decrement(ref _inside);
            await Task.Yield();
        }
    }

    private async Task Pass(string name)
    {
        _log.Add($"+{name}");
        await Gate(name).Task;
        _log.Add($"-{name}");
    }

    private TaskCompletionSource Gate(string name)
    {
        if (!_gates.TryGetValue(name, out var gate))
        {
            _gates[name] = gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        return gate;
    }
}

[Reentrant]
public sealed class ReentrantTurnsGrain : TurnsGrain;

public sealed class TurnTests
{
    [Fact]
    public async Task Calls_of_a_grain_run_one_after_another_in_the_order_they_came()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<TurnsGrain>());
        var grain = silo.Grains.GetGrain<ITurns>("a");
        Task[] calls = [grain.Enter("1"), grain.Enter("2"), grain.Enter("3")];
        await grain.Release("3");
        await grain.Release("2");
        Assert.Equal(["+1"], await grain.Log());
        await grain.Release("1");
        await Task.WhenAll(calls);
        Assert.Equal(["+1", "-1", "+2", "-2", "+3", "-3"], await grain.Log());
    }

    [Fact]
    public async Task Calls_of_a_reentrant_grain_interleave()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<ReentrantTurnsGrain>());
        var grain = silo.Grains.GetGrain<ITurns>("a");
        Task[] calls = [grain.Enter("1"), grain.Enter("2")];
        await grain.Release("2");
        await calls[1];
        await grain.Release("1");
        await calls[0];
        Assert.Equal(["+1", "+2", "-2", "-1"], await grain.Log());
    }

    [Fact]
    public async Task Read_only_calls_interleave_with_each_other_but_not_with_others_and_do_not_overtake_them()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<TurnsGrain>());
        var grain = silo.Grains.GetGrain<ITurns>("a");
        Task[] calls = [grain.Look("r1"), grain.Look("r2"), grain.Enter("w"), grain.Look("r3")];
        await Eventually.HoldsAsync(async () => (await grain.Log()).Length == 2, "both readers are in");
        Assert.Equal(["+r1", "+r2"], await grain.Log());
        await grain.Release("r3");
        await grain.Release("w");
        await grain.Release("r2");
        await calls[1];
        Assert.Equal(["+r1", "+r2", "-r2"], await grain.Log());
        await grain.Release("r1");
        await Task.WhenAll(calls);
        Assert.Equal(["+r1", "+r2", "-r2", "-r1", "+w", "-w", "+r3", "-r3"], await grain.Log());
    }

    [Fact]
    public async Task An_always_interleaving_call_runs_while_another_waits()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<TurnsGrain>());
        var grain = silo.Grains.GetGrain<ITurns>("a");
        var call = grain.Enter("1");
        Assert.Equal(["+1"], await grain.Log());
        Assert.False(call.IsCompleted);
        await grain.Release("1");
        await call;
    }

    [Fact]
    public async Task Turns_never_overlap_even_when_calls_interleave()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<ReentrantTurnsGrain>());
        var grain = silo.Grains.GetGrain<ITurns>("a");
        var calls = Enumerable.Range(0, 2_000).Select(_ => Task.Run(grain.Plain)).ToArray();
        await Task.WhenAll(calls);
        Assert.All(calls, c => Assert.True(c.IsCompletedSuccessfully));
    }

    [Fact]
    public async Task More_calls_than_may_wait_are_refused_as_certainly_not_executed()
    {
        await using var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<TurnsGrain>().Configure(o => o.MaxQueuedRequests = 2));
        var grain = silo.Grains.GetGrain<ITurns>("a");
        var first = grain.Enter("1");
        Assert.Equal(["+1"], await grain.Log());
        Task[] waiting = [grain.Enter("2"), grain.Enter("3")];
        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => grain.Enter("4"));
        Assert.Contains("MaxQueuedRequests", refused.Message, StringComparison.Ordinal);
        first = Task.WhenAll(first, Task.WhenAll(waiting));
        Assert.False(first.IsCompleted);
    }
}
