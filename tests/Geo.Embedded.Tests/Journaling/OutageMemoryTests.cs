using System.Diagnostics.Metrics;

namespace Geo.Embedded.Tests;

public interface IOutage : IGrainWithStringKey
{
    Task<int> ReadLatest();

    Task AddAndConfirm(int amount);

    [AlwaysInterleave]
    Task<int> ReadBeside(CancellationToken cancellationToken);

    [AlwaysInterleave]
    Task NeverEnd();

    Task NeverEndAlone();

    Task Look();

    Task Keep([Immutable] byte[] bytes);
}

[OneInstancePerCluster, BatchedCas]
public class OutageGrain : JournaledGrain<StockState, StockEvent>, IOutage
{
    private static readonly Task Never = new TaskCompletionSource().Task;

    public async Task<int> ReadLatest()
    {
        await RefreshNow();
        return State.Count;
    }

    public async Task AddAndConfirm(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
    }

    public Task<int> ReadBeside(CancellationToken cancellationToken) => ReadLatest();

    public Task NeverEnd() => new TaskCompletionSource().Task;

    public Task NeverEndAlone() => Never;

    public Task Look() => Task.CompletedTask;

    public Task Keep(byte[] bytes) => new TaskCompletionSource().Task;
}

[Reentrant]
public sealed class ReentrantOutageGrain : OutageGrain;

/// <summary>Measures memory, so nothing else of this assembly runs at the same time.</summary>
[CollectionDefinition(nameof(OutageMemoryTests), DisableParallelization = true)]
[Collection(nameof(OutageMemoryTests))]
public sealed class OutageMemoryTests
{
    private const int Calls = 20_000;
    private const int Wave = 2_000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Reads_that_timed_out_while_the_store_does_not_answer_hold_no_memory(bool storeHangs)
    {
        await using var silo = await StartAsync<ReentrantOutageGrain>(new SilentStore { HangsInSilence = storeHangs });
        var grain = silo.Grains.GetGrain<IOutage>("a");
        await TimeOutAsync(Wave, grain.ReadLatest);

        await HoldsLessAsync(1_000_000, $"{Calls} reads that timed out", () => TimeOutAsync(Calls, grain.ReadLatest));
    }

    [Fact]
    public async Task Reads_that_were_cancelled_while_the_store_does_not_answer_hold_no_memory()
    {
        await using var silo = await StartAsync<OutageGrain>(new SilentStore { HangsInSilence = true }, TimeSpan.FromMinutes(5));
        var grain = silo.Grains.GetGrain<IOutage>("a");
        await CancelAsync(Wave);

        await HoldsLessAsync(1_000_000, $"{Calls} reads that were cancelled", () => CancelAsync(Calls));

        async Task CancelAsync(int calls)
        {
            for (var done = 0; done < calls; done += Wave)
            {
                using var patience = new CancellationTokenSource();
                var wave = Enumerable.Range(0, Wave).Select(_ => grain.ReadBeside(patience.Token)).ToArray();
                await grain.ReadBeside(new CancellationToken(canceled: true))
                    .ContinueWith(t => Assert.True(t.IsCanceled), TaskScheduler.Default);
                await patience.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(wave));
            }
        }
    }

    [Fact]
    public async Task Calls_that_wait_behind_one_that_never_ends_hold_no_memory_and_no_place_when_they_have_timed_out()
    {
        await using var silo = await StartAsync<OutageGrain>(new InMemoryConditionalStore(), configure: o => o.MaxQueuedRequests = Wave);
        var grain = silo.Grains.GetGrain<IOutage>("a");
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(grain.NeverEndAlone);
        await TimeOutAsync(Wave, grain.Look);

        await HoldsLessAsync(1_000_000, $"{Calls} calls that timed out in the queue", () => TimeOutAsync(Calls, grain.Look));
    }

    [Fact]
    public async Task Calls_that_never_end_are_bounded_refused_by_name_and_counted()
    {
        const int limit = 1_000;
        long refusals = 0;
        using var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "geo.calls.running_rejections")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        meters.SetMeasurementEventCallback<long>((_, count, _, _) => Interlocked.Add(ref refusals, count));
        meters.Start();
        await using var silo = await StartAsync<OutageGrain>(new InMemoryConditionalStore(), configure: o => o.MaxRunningRequests = limit);
        var grain = silo.Grains.GetGrain<IOutage>("a");
        await TimeOutAsync(limit, grain.NeverEnd);

        await HoldsLessAsync(1_000_000, $"{Calls} calls that were refused", async () =>
        {
            for (var i = 0; i < Calls; i++)
            {
                var refused = await Assert.ThrowsAsync<GeoUnavailableException>(grain.NeverEnd);
                Assert.Contains("MaxRunningRequests", refused.Message, StringComparison.Ordinal);
            }
        });

        Assert.Equal(Calls, Interlocked.Read(ref refusals));
    }

    [Fact]
    public async Task A_call_that_timed_out_lets_go_of_its_arguments_although_the_method_never_ends()
    {
        await using var silo = await StartAsync<OutageGrain>(new InMemoryConditionalStore());
        var grain = silo.Grains.GetGrain<IOutage>("a");

        await HoldsLessAsync(2_000_000, "20 calls with a megabyte each", async () =>
        {
            for (var i = 0; i < 20; i++)
            {
                var key = $"keep{i}";
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => silo.Grains.GetGrain<IOutage>(key).Keep(new byte[1_000_000]));
            }
        });
        await grain.Look();
    }

    private static Task<TestSilo> StartAsync<TGrain>(
        IConditionalStore store, TimeSpan? timeout = null, Action<GeoEmbeddedOptions>? configure = null)
        where TGrain : Grain =>
        TestSilo.StartAsync("us", geo => geo.AddGrain<TGrain>().AddStore(GeoStorage.Default, _ => store).Configure(o =>
        {
            o.RequestTimeout = timeout ?? TimeSpan.FromMilliseconds(300);
            o.TimeoutResolution = TimeSpan.FromMilliseconds(10);
            configure?.Invoke(o);
        }));

    private static async Task TimeOutAsync(int calls, Func<Task> call)
    {
        for (var done = 0; done < calls; done += Wave)
        {
            var wave = Enumerable.Range(0, Math.Min(Wave, calls)).Select(_ => call()).ToArray();
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => Task.WhenAll(wave));
            Assert.All(wave, c => Assert.IsType<GeoOutcomeUnknownException>(c.Exception!.InnerException));
        }
    }

    /// <summary>Does work, and waits until what it held is let go: when the grain's own methods have heard of its end, too.</summary>
    private static async Task HoldsLessAsync(long bytes, string what, Func<Task> work)
    {
        var before = Held();
        await work();
        var held = 0L;
        await Eventually.HoldsAsync(
            () => (held = Held() - before) < bytes, $"{what} hold less than {bytes} bytes", seconds: 5,
            seen: () => $"They hold {held} bytes.");
    }

    private static long Held()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
