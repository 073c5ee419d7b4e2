using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

/// <summary>What the grains of <see cref="NeverEndingTests"/> wait for: released when the test is over.</summary>
public sealed class Release : IDisposable
{
    private int _activations;
    private int _calls;

    public ManualResetEventSlim Blocked { get; } = new();

    public TaskCompletionSource Held { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public bool ActivationHangs { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

    public bool DeactivationHangs { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

    public int Activations => Volatile.Read(ref _activations);

    /// <summary>How many calls that do not end have begun.</summary>
    public int Calls => Volatile.Read(ref _calls);

    public void CountCall() => Interlocked.Increment(ref _calls);

    public int CountActivation() => Interlocked.Increment(ref _activations);

    public TaskCompletionSource<Exception?> Afterwards { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Dispose()
    {
        Held.TrySetResult();
        Blocked.Set();
    }
}

public interface IStuck : IGrainWithStringKey
{
    Task<int> Number();

    Task NeverEnd();

    Task Block();

    Task DeactivateAndBlock();

    Task WriteAfterwards(int value);

    Task<int> Stored();

    [AlwaysInterleave]
    Task Deactivate();
}

[GlobalSingleInstance]
public sealed class StuckGrain(Release release, [PersistentState("value")] IPersistentState<StuckGrain.Value> stored) : Grain, IStuck
{
    private int _number;

    public sealed class Value
    {
        public int Number { get; set; }
    }

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        _number = release.CountActivation();
        return release.ActivationHangs ? release.Held.Task : Task.CompletedTask;
    }

    public override Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken) =>
        release.DeactivationHangs ? release.Held.Task : Task.CompletedTask;

    public Task<int> Number() => Task.FromResult(_number);

    public Task NeverEnd()
    {
        release.CountCall();
        return release.Held.Task;
    }

    public Task Block()
    {
        release.CountCall();
        release.Blocked.Wait();
        return Task.CompletedTask;
    }

    public Task DeactivateAndBlock()
    {
        DeactivateOnIdle();
        return Block();
    }

    public async Task WriteAfterwards(int value)
    {
        await release.Held.Task;
        stored.State.Number = value;
        release.Afterwards.SetResult(await Record.ExceptionAsync(() => stored.WriteStateAsync()));
    }

    public Task<int> Stored() => Task.FromResult(stored.State.Number);

    public Task Deactivate()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}

public interface IStuckDesk : IGrainWithStringKey
{
    Task RaiseAfterwards();

    Task DeactivateAndBlock();

    Task<int> Latest();

    [AlwaysInterleave]
    Task Deactivate();
}

[OneInstancePerCluster, BatchedCas]
public sealed class StuckDeskGrain(Release release) : JournaledGrain<StockState, StockEvent>, IStuckDesk
{
    public async Task RaiseAfterwards()
    {
        await release.Held.Task;
        release.Afterwards.SetResult(Record.Exception(() => RaiseEvent(new Added(1))));
    }

    public Task DeactivateAndBlock()
    {
        DeactivateOnIdle();
        release.Blocked.Wait();
        return Task.CompletedTask;
    }

    public async Task<int> Latest()
    {
        await RefreshNow();
        return State.Count;
    }

    public Task Deactivate()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}

/// <summary>Grains whose code does not come to an end: nothing else may wait for it longer than the options say.</summary>
public sealed class NeverEndingTests : IDisposable
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    private readonly Release _release = new();

    public void Dispose() => _release.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_deactivation_does_not_wait_for_a_call_that_never_ends(bool blocksItsThread)
    {
        long abandoned = 0;
        using var meters = Count("geo.grains.abandoned", () => Interlocked.Increment(ref abandoned));
        await using var silo = await StartAsync();
        var grain = silo.Grains.GetGrain<IStuck>("a");
        Assert.Equal(1, await grain.Number());
        var stuck = blocksItsThread ? grain.DeactivateAndBlock() : grain.NeverEnd();
        if (!blocksItsThread)
        {
            await grain.Deactivate();
        }

        var waiting = grain.Number();

        Assert.Equal(2, await waiting.WaitAsync(Soon, TestContext.Current.CancellationToken));
        var unknown = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
            () => stuck.WaitAsync(Soon, TestContext.Current.CancellationToken));
        Assert.Contains("DeactivationTimeout", unknown.Message, StringComparison.Ordinal);
        Assert.True(Interlocked.Read(ref abandoned) > 0);
    }

    [Fact]
    public async Task A_deactivation_does_not_wait_for_the_grain_s_own_that_never_ends()
    {
        _release.DeactivationHangs = true;
        await using var silo = await StartAsync();
        var grain = silo.Grains.GetGrain<IStuck>("a");
        await grain.Deactivate();

        await Eventually.HoldsAsync(async () => await grain.Number() == 2, "the next instance is active");
    }

    [Fact]
    public async Task An_activation_that_never_ends_fails_its_calls_and_is_tried_again_by_the_next()
    {
        _release.ActivationHangs = true;
        await using var silo = await StartAsync();
        var grain = silo.Grains.GetGrain<IStuck>("a");

        var failure = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => grain.Number().WaitAsync(Soon, TestContext.Current.CancellationToken));

        Assert.Contains("ActivationTimeout", failure.Message, StringComparison.Ordinal);
        _release.ActivationHangs = false;
        await Eventually.HoldsAsync(() => silo.Silo.ActivationCount == 0, "the instance is gone");
        Assert.Equal(2, await grain.Number());
    }

    [Fact]
    public async Task A_silo_stops_in_its_time_whatever_its_grains_do()
    {
        var silo = await StartAsync();
        var calls = new List<Task>();
        for (var i = 0; i < 20; i++)
        {
            calls.Add(silo.Grains.GetGrain<IStuck>($"never{i}").NeverEnd());
        }

        calls.Add(silo.Grains.GetGrain<IStuck>("blocked").Block());
        await Eventually.HoldsAsync(() => _release.Calls == 21, "all calls run");
        var began = Stopwatch.GetTimestamp();

        await silo.DisposeAsync();

        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 0, 10);
        Assert.All(calls, c => Assert.IsType<GeoOutcomeUnknownException>(c.Exception?.InnerException));
    }

    [Fact]
    public async Task A_duplicate_whose_calls_never_end_ends_all_the_same_when_the_clusters_meet()
    {
        await using var us = await StartAsync("us", ("eu", null));
        await using var eu = await StartAsync("eu", ("us", "127.0.0.1:1"));
        Assert.Equal((1, 2), (await us.Grains.GetGrain<IStuck>("a").Number(), await eu.Grains.GetGrain<IStuck>("a").Number()));
        Task[] calls = [us.Grains.GetGrain<IStuck>("a").NeverEnd(), eu.Grains.GetGrain<IStuck>("a").NeverEnd()];

        ((GeoSilo)us.Silo).Dial(eu.Silo.ListeningOn!);

        await Eventually.HoldsAsync(() => us.Silo.ActivationCount + eu.Silo.ActivationCount == 1, "one instance is left");
        var ended = await Task.WhenAny(calls).WaitAsync(Soon, TestContext.Current.CancellationToken);
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => ended);
        Assert.Equal(1, calls.Count(c => c.IsCompleted));
    }

    [Fact]
    public async Task What_a_given_up_instance_does_afterwards_reaches_neither_its_stored_state_nor_its_versions()
    {
        await using var silo = await StartAsync();
        var grain = silo.Grains.GetGrain<IStuck>("a");
        var stuck = grain.WriteAfterwards(7);
        await grain.Deactivate();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => stuck);

        _release.Held.SetResult();

        Assert.IsType<GeoUnavailableException>(await _release.Afterwards.Task.WaitAsync(Soon, TestContext.Current.CancellationToken));
        Assert.Equal(0, await grain.Stored());
    }

    [Fact]
    public async Task A_given_up_instance_raises_no_more_events()
    {
        await using var silo = await StartAsync();
        var desk = silo.Grains.GetGrain<IStuckDesk>("a");
        var stuck = desk.RaiseAfterwards();
        await desk.Deactivate();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => stuck);

        _release.Held.SetResult();

        Assert.IsType<ObjectDisposedException>(await _release.Afterwards.Task.WaitAsync(Soon, TestContext.Current.CancellationToken));
        Assert.Equal(0, await desk.Latest());
    }

    [Fact]
    public async Task A_given_up_instance_of_a_replicated_grain_leaves_its_place_to_the_next_at_once()
    {
        await using var silo = await StartAsync();
        var desk = silo.Grains.GetGrain<IStuckDesk>("a");
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(desk.DeactivateAndBlock);

        Assert.Equal(0, await desk.Latest());
    }

    private static MeterListener Count(string name, Action count)
    {
        var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == name)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        meters.SetMeasurementEventCallback<long>((_, _, _, _) => count());
        meters.Start();
        return meters;
    }

    private Task<TestSilo> StartAsync(string cluster = "us", params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster,
        geo => geo.AddGrain<StuckGrain>().AddGrain<StuckDeskGrain>().Configure(o =>
        {
            o.AllowUnsharedStores = true;
            o.ActivationTimeout = TimeSpan.FromSeconds(1);
            o.TimeoutResolution = TimeSpan.FromMilliseconds(10);
        }),
        others,
        s => s.AddSingleton(_release));
}
