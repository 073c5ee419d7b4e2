using System.Diagnostics;

namespace Geo.Embedded.Tests;

public interface IShelf : IGrainWithStringKey
{
    Task<int> Add(int amount);

    [ReadOnly]
    Task<int> Count();

    [ReadOnly]
    Task<bool> WasActivated();

    /// <summary>The latest count, or what is known where the store is away.</summary>
    [ReadOnly]
    Task<int> LatestOrKnown();
}

public abstract class ShelfGrain : JournaledGrain<StockState, StockEvent>, IShelf
{
    private bool _wasActivated;

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        _wasActivated = true;
        return Task.CompletedTask;
    }

    public async Task<int> Add(int amount)
    {
        RaiseEvent(new Added(amount));
        await ConfirmEvents();
        return State.Count;
    }

    public Task<int> Count() => Task.FromResult(State.Count);

    public Task<bool> WasActivated() => Task.FromResult(_wasActivated);

    public async Task<int> LatestOrKnown()
    {
        try
        {
            await RefreshNow();
        }
        catch (GeoException)
        {
            // The store is away: what is known has to do.
        }

        return State.Count;
    }
}

[GlobalSingleInstance(SingleInstanceMode.Pessimistic), ReadReplica(MaxStaleness = "00:00:10")]
public sealed class CopiedShelfGrain : ShelfGrain;

[GlobalSingleInstance(SingleInstanceMode.Pessimistic), ReadReplica(MaxStaleness = "00:00:00.500", OnStale = StaleRead.Throw)]
public sealed class StrictShelfGrain : ShelfGrain;

public sealed class UncopiedShelfGrain : ShelfGrain;

[GlobalSingleInstance, ReadReplica]
public sealed class StatefulShelfGrain(
    [PersistentState("beside")] IPersistentState<StockState> beside) : JournaledGrain<StockState, StockEvent>, IShelf
{
    public Task<int> Add(int amount) => Task.FromResult(beside.State.Count);

    public Task<int> Count() => Task.FromResult(State.Count);

    public Task<bool> WasActivated() => Task.FromResult(true);

    public Task<int> LatestOrKnown() => Count();
}

/// <summary>Measures, so nothing else of this assembly runs at the same time.</summary>
[Collection(nameof(LocalLatencyTests))]
public sealed class ReadReplicaTests
{
    [Fact]
    public async Task A_replica_is_read_where_the_instance_is_not_and_OnActivateAsync_does_not_run_there()
    {
        await using var two = await TwoClusters.StartAsync(geo => geo.AddGrain<CopiedShelfGrain>());
        Assert.Equal(3, await Shelf<CopiedShelfGrain>(two.Eu).Add(3));
        await ReadOnReplicaAsync<CopiedShelfGrain>(two.Us);
        Assert.Equal(3, await Shelf<CopiedShelfGrain>(two.Us).Count());
        Assert.True(await Shelf<CopiedShelfGrain>(two.Eu).WasActivated());
        Assert.Equal(5, await Shelf<CopiedShelfGrain>(two.Us).Add(2));
    }

    /// <summary>What a replica cannot answer is not the method's to catch: it has no trouble that the method could do without.</summary>
    [Fact]
    public async Task A_method_that_catches_what_it_asked_for_in_vain_is_run_at_the_instance_all_the_same()
    {
        await using var two = await TwoClusters.StartAsync(geo => geo.AddGrain<CopiedShelfGrain>());
        Assert.Equal(3, await Shelf<CopiedShelfGrain>(two.Eu).Add(3));
        await ReadOnReplicaAsync<CopiedShelfGrain>(two.Us);
        Assert.Equal(5, await Shelf<CopiedShelfGrain>(two.Eu).Add(2));
        Assert.Equal(5, await Shelf<CopiedShelfGrain>(two.Us).LatestOrKnown());
        Assert.False(await Shelf<CopiedShelfGrain>(two.Us).WasActivated());
    }

    [Fact]
    public async Task A_read_beyond_the_bound_is_refused_at_once_where_the_class_says_so()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<StrictShelfGrain>(), [("eu", null)]);
        await using (var eu = await TestSilo.StartAsync("eu", geo => geo.AddGrain<StrictShelfGrain>(), [("us", us.Address)]))
        {
            await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
            await Shelf<StrictShelfGrain>(eu).Add(1);
            await ReadOnReplicaAsync<StrictShelfGrain>(us);
        }

        var refusal = "";
        await Eventually.HoldsAsync(
            async () =>
            {
                try
                {
                    await Shelf<StrictShelfGrain>(us).Count();
                }
                catch (GeoUnavailableException e)
                {
                    refusal = e.Message;
                }

                return refusal.Contains("MaxStaleness", StringComparison.Ordinal);
            },
            "the copy is too old", seen: () => refusal);
    }

    [Fact]
    public void A_class_with_stored_states_beside_its_events_has_no_replicas() => Assert.Contains(
        "[ReadReplica]", Assert.Throws<GeoConfigurationException>(() => new GrainClass(typeof(StatefulShelfGrain))).Message,
        StringComparison.Ordinal);

    [Fact]
    public async Task A_read_of_a_replica_takes_at_most_half_as_long_again_as_a_local_call()
    {
        await using var two = await TwoClusters.StartAsync(geo => geo.AddGrain<CopiedShelfGrain>().AddGrain<UncopiedShelfGrain>());
        await Shelf<CopiedShelfGrain>(two.Eu).Add(1);
        await ReadOnReplicaAsync<CopiedShelfGrain>(two.Us);
        var (ordinary, copied) = (Shelf<UncopiedShelfGrain>(two.Us), Shelf<CopiedShelfGrain>(two.Us));
        var ratios = new List<double>();
        for (var pair = 0; pair < 70; pair++)
        {
            var (first, second) = pair % 2 == 0 ? (ordinary, copied) : (copied, ordinary);
            var (a, b) = (await MeasureAsync(first), await MeasureAsync(second));
            if (pair >= 10)
            {
                ratios.Add(pair % 2 == 0 ? b / a : a / b);
            }
        }

        ratios.Sort();
        var line = $"p50 of a read of a replica: {ratios[ratios.Count / 2]:F3} times that of a local call "
            + $"(half of {ratios.Count} pairs between {ratios[ratios.Count / 4]:F2} and {ratios[ratios.Count * 3 / 4]:F2})";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Assert.True(ratios[ratios.Count / 2] <= 1.5, line);
    }

    private static IShelf Shelf<TGrain>(TestSilo silo) => silo.Grains.GetGrain<IShelf>("a", typeof(TGrain).FullName);

    private static Task ReadOnReplicaAsync<TGrain>(TestSilo silo) =>
        Eventually.HoldsAsync(async () => !await Shelf<TGrain>(silo).WasActivated(), "the replica is read");

    private static async Task<double> MeasureAsync(IShelf shelf)
    {
        var times = new double[400];
        for (var i = 0; i < times.Length; i++)
        {
            var began = Stopwatch.GetTimestamp();
            await shelf.Count();
            times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
        }

        Array.Sort(times);
        return times[times.Length / 2];
    }
}
