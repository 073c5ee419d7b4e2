using Geo.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

public sealed class Journal
{
    private readonly List<string> _lines = [];

    public string[] Lines
    {
        get
        {
            lock (_lines)
            {
                return [.. _lines];
            }
        }
    }

    public bool RefuseActivation { get; set; }

    public void Write(string line)
    {
        lock (_lines)
        {
            _lines.Add(line);
        }
    }
}

public interface ILife : IGrainWithIntegerKey
{
    Task<int> Touch();

    Task Leave();

    Task Stay(TimeSpan time);

    Task StartTimer(TimeSpan due, TimeSpan period, bool keepAlive);

    Task StopTimer();

    Task Hold();

    [AlwaysInterleave]
    Task LetGo();
}

public sealed class LifeGrain(Journal journal) : Grain, ILife
{
    private static int _instances;

    private readonly int _instance = Interlocked.Increment(ref _instances);
    private readonly TaskCompletionSource _held = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IGrainTimer? _timer;

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        journal.Write($"activate {this.GetPrimaryKeyLong()}");
        return journal.RefuseActivation ? throw new InvalidOperationException("not now") : Task.CompletedTask;
    }

    public override Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        journal.Write($"deactivate {reason.ReasonCode}");
        return Task.CompletedTask;
    }

    public Task<int> Touch() => Task.FromResult(_instance);

    public Task Leave()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public Task Stay(TimeSpan time)
    {
        DelayDeactivation(time);
        return Task.CompletedTask;
    }

    public Task StartTimer(TimeSpan due, TimeSpan period, bool keepAlive)
    {
        _timer = this.RegisterGrainTimer(
            () =>
            {
                journal.Write("tick");
                return Task.CompletedTask;
            },
            new GrainTimerCreationOptions(due, period) { KeepAlive = keepAlive });
        return Task.CompletedTask;
    }

    public Task StopTimer()
    {
        _timer!.Dispose();
        return Task.CompletedTask;
    }

    public async Task Hold()
    {
        journal.Write("hold");
        await _held.Task;
        journal.Write("let go");
    }

    public Task LetGo()
    {
        _held.TrySetResult();
        return Task.CompletedTask;
    }
}

[OneInstancePerCluster]
[BatchedCas]
public sealed class FragileStockGrain(Journal journal) : StockGrain
{
    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        this.RegisterGrainTimer(
            stopping =>
            {
                stopping.Register(() => throw new InvalidOperationException("a callback of the timer's token"));
                DeactivateOnIdle();
                return Task.CompletedTask;
            },
            new GrainTimerCreationOptions(TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan));
        return Task.CompletedTask;
    }

    public override Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        journal.Write("deactivate");
        return Task.CompletedTask;
    }
}

public sealed class ActivationTests
{
    private readonly VirtualTime _time = new();
    private readonly Journal _journal = new();

    [Fact]
    public void An_idle_grain_is_deactivated_and_the_next_call_finds_a_new_instance() => Simulate(async (world, us) =>
    {
        var life = us.Client().Grain<ILife>(1);
        var first = await life.Touch();
        await world.PassAsync(TimeSpan.FromMinutes(14));
        Assert.Equal(first, await life.Touch());
        await world.PassAsync(TimeSpan.FromMinutes(14));
        Assert.Equal(1, Active(us));
        await world.PassAsync(TimeSpan.FromMinutes(3));
        Assert.Equal(0, Active(us));
        Assert.Equal("deactivate ActivationIdle", _journal.Lines[^1]);
        Assert.NotEqual(first, await life.Touch());
    });

    [Fact]
    public void A_grain_can_put_off_its_idle_deactivation() => Simulate(async (world, us) =>
    {
        await us.Client().Grain<ILife>(1).Stay(TimeSpan.FromHours(1));
        await world.PassAsync(TimeSpan.FromMinutes(50));
        Assert.Equal(1, Active(us));
        await world.PassAsync(TimeSpan.FromMinutes(12));
        Assert.Equal(0, Active(us));
    });

    [Fact]
    public async Task Calls_that_wait_for_a_deactivating_grain_go_to_the_next_instance()
    {
        await using var silo = await StartAsync();
        var life = silo.Grains.GetGrain<ILife>(1);
        var first = await life.Touch();
        var held = life.Hold();
        var leave = life.Leave();
        var later = life.Touch();
        await life.LetGo();
        await held;
        await leave;
        Assert.NotEqual(first, await later);
        Assert.Equal(["activate 1", "hold", "let go", "deactivate ApplicationRequested", "activate 1"], _journal.Lines);
    }

    [Fact]
    public async Task A_grain_that_cannot_be_activated_fails_its_waiting_calls_and_is_tried_again_by_the_next()
    {
        _journal.RefuseActivation = true;
        await using var silo = await StartAsync();
        var life = silo.Grains.GetGrain<ILife>(1);
        var calls = new[] { life.Touch(), life.Touch() };
        foreach (var call in calls)
        {
            Assert.Equal("not now", (await Assert.ThrowsAsync<InvalidOperationException>(() => call)).Message);
        }

        Assert.Equal(0, silo.Silo.ActivationCount);
        _journal.RefuseActivation = false;
        Assert.True(await life.Touch() > 0);
    }

    [Fact]
    public async Task A_timer_ticks_in_turn_until_it_is_disposed()
    {
        await using var silo = await StartAsync();
        var life = silo.Grains.GetGrain<ILife>(1);
        await life.StartTimer(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(10), keepAlive: false);
        for (var expected = 1; expected <= 3; expected++)
        {
            await AdvanceAsync(TimeSpan.FromSeconds(expected == 1 ? 5 : 10));
            var count = expected;
            await Eventually.HoldsAsync(() => Ticks() == count, $"it ticked {count} times");
            await life.Touch();
        }

        await life.StopTimer();
        await AdvanceAsync(TimeSpan.FromMinutes(1));
        await life.Touch();
        Assert.Equal(3, Ticks());
    }

    [Theory]
    [InlineData(50, 1)]
    [InlineData(1, 50)]
    public async Task A_timer_that_would_tick_later_than_any_can_is_refused_when_it_is_started(int dueDays, int periodDays)
    {
        await using var silo = await StartAsync();
        var life = silo.Grains.GetGrain<ILife>(1);

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => life.StartTimer(TimeSpan.FromDays(dueDays), TimeSpan.FromDays(periodDays), keepAlive: false));

        Assert.True(await life.Touch() > 0);
    }

    [Fact]
    public async Task A_tick_waits_while_a_call_is_running()
    {
        await using var silo = await StartAsync();
        var life = silo.Grains.GetGrain<ILife>(1);
        await life.StartTimer(TimeSpan.FromSeconds(5), Timeout.InfiniteTimeSpan, keepAlive: false);
        var held = life.Hold();
        await Eventually.HoldsAsync(() => _journal.Lines.Contains("hold"), "the call runs");
        await AdvanceAsync(TimeSpan.FromSeconds(6));
        await life.LetGo();
        await held;
        await Eventually.HoldsAsync(() => Ticks() == 1, "it ticked");
        Assert.Equal(["activate 1", "hold", "let go", "tick"], _journal.Lines);
    }

    [Fact]
    public async Task A_timer_that_cannot_be_ended_takes_neither_the_deactivation_nor_the_next_activation_along()
    {
        await using var silo = await TestSilo.StartAsync(
            "us",
            geo => geo.AddGrain<FragileStockGrain>(),
            services: s => s.AddSingleton<TimeProvider>(_time).AddSingleton(_journal));
        var stock = silo.Grains.GetGrain<IStock>("a");
        await stock.AddAndConfirm(1);
        await AdvanceAsync(TimeSpan.FromSeconds(2));
        await Eventually.HoldsAsync(() => silo.Silo.ActivationCount == 0, "the grain is gone");
        Assert.Equal(["deactivate"], _journal.Lines);
        Assert.Equal((1, 1), await stock.ReadLatest());
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void Only_a_timer_that_says_so_keeps_its_grain_active(bool keepAlive, int active) => Simulate(async (world, us) =>
    {
        await us.Client().Grain<ILife>(1).StartTimer(TimeSpan.FromMinutes(1), TimeSpan.FromMinutes(1), keepAlive);
        await world.PassAsync(TimeSpan.FromMinutes(14));
        Assert.Equal(14, Ticks());
        await world.PassAsync(TimeSpan.FromMinutes(6));
        Assert.Equal(active, Active(us));
    });

    private static int Active(SimulatedCluster cluster) => cluster[0].Services.GetRequiredService<IGeoSilo>().ActivationCount;

    /// <summary>Long times: on threads of its own a silo could fall behind a clock that a test moves.</summary>
    private void Simulate(Func<SimulationWorld, SimulatedCluster, Task> scenario) => GeoSimulation.Explore(1, async world =>
    {
        var us = world.AddCluster("us", host =>
        {
            host.Services.AddSingleton(_journal);
            host.UseGeoEmbedded(geo => geo.AddGrain<LifeGrain>());
        });
        await world.StartAsync();
        await scenario(world, us);
    });

    private int Ticks() => _journal.Lines.Count(l => l == "tick");

    private Task<TestSilo> StartAsync() => TestSilo.StartAsync(
        "us",
        geo => geo.AddGrain<LifeGrain>(),
        services: s => s.AddSingleton<TimeProvider>(_time).AddSingleton(_journal));

    private async Task AdvanceAsync(TimeSpan time)
    {
        for (var passed = TimeSpan.Zero; passed < time; passed += TimeSpan.FromSeconds(30))
        {
            _time.Advance(TimeSpan.FromSeconds(Math.Min(30, (time - passed).TotalSeconds)));
            await Task.Yield();
        }
    }
}
