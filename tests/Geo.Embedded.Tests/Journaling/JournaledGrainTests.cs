using System.Text.Json.Serialization;

namespace Geo.Embedded.Tests;

public sealed class StockState
{
    public int Count { get; set; }

    public List<string> Notes { get; set; } = [];

    public void Apply(Added added) => Count += added.Amount;

    public void Apply(Noted noted) => Notes.Add(noted.Text);
}

[JsonDerivedType(typeof(Added), "added")]
[JsonDerivedType(typeof(Noted), "noted")]
public abstract record StockEvent;

public sealed record Added(int Amount) : StockEvent;

public sealed record Noted(string Text) : StockEvent;

public interface IStock : IGrainWithStringKey
{
    Task Add(int amount);

    Task AddAndConfirm(int amount);

    Task<bool> AddIf(int amount);

    Task AddAll(int[] amounts, string note);

    Task<(int Count, long Version)> ReadLatest();

    [ReadOnly]
    Task<(int Confirmed, int Tentative, long Version, int Unconfirmed)> Look();

    Task<StockState> Whole();

    Task<int> Changes();
}

public abstract class StockGrain : JournaledGrain<StockState, StockEvent>, IStock
{
    private int _changes;

    public Task Add(int amount)
    {
        RaiseEvent(new Added(amount));
        return Task.CompletedTask;
    }

    public Task AddAndConfirm(int amount)
    {
        RaiseEvent(new Added(amount));
        return ConfirmEvents();
    }

    public Task<bool> AddIf(int amount) => RaiseConditionalEvent(new Added(amount));

    public Task AddAll(int[] amounts, string note)
    {
        RaiseEvents(amounts.Select(a => new Added(a)));
        RaiseEvent(new Noted(note));
        return ConfirmEvents();
    }

    public async Task<(int Count, long Version)> ReadLatest()
    {
        await RefreshNow();
        return (State.Count, Version);
    }

    public Task<(int Confirmed, int Tentative, long Version, int Unconfirmed)> Look() =>
        Task.FromResult((State.Count, TentativeState.Count, Version, UnconfirmedEvents.Count()));

    public Task<StockState> Whole() => Task.FromResult(State);

    public Task<int> Changes() => Task.FromResult(_changes);

    protected override void OnStateChanged() => _changes++;
}

public sealed class LocalStockGrain : StockGrain;

[BatchedCas]
public sealed class StoredStockGrain : StockGrain;

[GlobalSingleInstance]
[BatchedCas]
public sealed class SingleStoredStockGrain : StockGrain;

[OneInstancePerCluster]
[BatchedCas]
public sealed class SharedStockGrain : StockGrain;

[OneInstancePerCluster]
[VersionedLeader]
public sealed class VolatileStockGrain : StockGrain;

public sealed class JournaledGrainTests
{
    [Fact]
    public async Task Confirmed_events_are_in_the_state_and_count_as_versions()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalStockGrain>());
        var stock = silo.Grains.GetGrain<IStock>("a");
        await stock.AddAndConfirm(2);
        await stock.AddAll([3, 4], "five");
        Assert.Equal((9, 4), await stock.ReadLatest());
        Assert.Equal(["five"], (await stock.Whole()).Notes);
        Assert.True(await stock.Changes() > 0);
    }

    [Fact]
    public async Task Events_are_stored_and_found_again_by_the_next_activation()
    {
        var store = new InMemoryConditionalStore();
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<StoredStockGrain>().AddStore(GeoStorage.Default, _ => store);
        await using (var silo = await TestSilo.StartAsync("us", Configure))
        {
            await silo.Grains.GetGrain<IStock>("a").AddAndConfirm(2);
            await silo.Grains.GetGrain<IStock>("a").Add(3);
        }

        await using var again = await TestSilo.StartAsync("us", Configure);
        Assert.Equal((5, 2), await again.Grains.GetGrain<IStock>("a").ReadLatest());
    }

    [Fact]
    public async Task A_version_beyond_32_bits_is_one_as_any_other()
    {
        var store = new InMemoryConditionalStore();
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<StoredStockGrain>().AddStore(GeoStorage.Default, _ => store);
        await using (var silo = await TestSilo.StartAsync("us", Configure))
        {
            await silo.Grains.GetGrain<IStock>("a").AddAndConfirm(2);
        }

        await foreach (var row in store.ListAsync("view/", TestContext.Current.CancellationToken))
        {
            // Behind the format stands the version.
            var aged = new PayloadWriter();
            aged.WriteByte(row.Value.Span[0]);
            aged.WriteUnsigned(int.MaxValue);
            byte[] value = [.. aged.ToArray(), .. row.Value.Span[2..]];
            await store.WriteAsync(row.Key, value, row.ETag, TestContext.Current.CancellationToken);
        }

        await using var again = await TestSilo.StartAsync("us", Configure);
        var stock = again.Grains.GetGrain<IStock>("a");
        await stock.AddAndConfirm(3);
        Assert.Equal((5, int.MaxValue + 1L), await stock.ReadLatest());
    }

    [Fact]
    public async Task Events_raised_without_confirmation_are_in_the_tentative_state_at_once()
    {
        await using var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<StoredStockGrain>().AddStore(GeoStorage.Default, _ => new SilentStore()));
        var stock = silo.Grains.GetGrain<IStock>("a");
        Assert.Equal((0, 0, 0, 0), await stock.Look());
        await stock.Add(2);
        await stock.Add(3);
        Assert.Equal((0, 5, 0, 2), await stock.Look());
    }

    [Theory]
    [InlineData(typeof(SharedStockGrain))]
    [InlineData(typeof(VolatileStockGrain))]
    [InlineData(typeof(SingleStoredStockGrain))]
    public async Task Updates_of_two_clusters_become_one_sequence_that_both_read(Type grainClass)
    {
        var store = new InMemoryConditionalStore();
        await using var clusters = await TwoClusters.StartAsync(
            geo =>
            {
                geo.AddStore(GeoStorage.Default, _ => store);
                _ = grainClass == typeof(SharedStockGrain) ? geo.AddGrain<SharedStockGrain>()
                    : grainClass == typeof(VolatileStockGrain) ? geo.AddGrain<VolatileStockGrain>()
                    : geo.AddGrain<SingleStoredStockGrain>();
            });
        var us = clusters.Us.Grains.GetGrain<IStock>("a");
        var eu = clusters.Eu.Grains.GetGrain<IStock>("a");
        await Task.WhenAll(Enumerable.Range(0, 50).SelectMany(i => new[] { us.AddAndConfirm(1), eu.AddAndConfirm(1), us.Add(1) }));
        await us.ReadLatest();
        Assert.Equal((150, 150), await us.ReadLatest());
        Assert.Equal((150, 150), await eu.ReadLatest());
    }

    [Fact]
    public async Task A_version_reaches_the_other_instance_without_being_asked_for()
    {
        var store = new InMemoryConditionalStore();
        await using var clusters = await TwoClusters.StartAsync(
            geo => geo.AddGrain<SharedStockGrain>().AddStore(GeoStorage.Default, _ => store));
        var us = clusters.Us.Grains.GetGrain<IStock>("a");
        var eu = clusters.Eu.Grains.GetGrain<IStock>("a");
        await eu.ReadLatest();
        await us.AddAndConfirm(7);
        await Eventually.HoldsAsync(async () => (await eu.Look()).Confirmed == 7, "the other instance sees the version");
    }

    [Fact]
    public async Task A_conditional_event_is_refused_when_another_instance_was_first()
    {
        var store = new InMemoryConditionalStore();
        await using var clusters = await TwoClusters.StartAsync(
            geo => geo.AddGrain<SharedStockGrain>().AddStore(GeoStorage.Default, _ => store));
        var us = clusters.Us.Grains.GetGrain<IStock>("a");
        var eu = clusters.Eu.Grains.GetGrain<IStock>("a");
        await Task.WhenAll(us.ReadLatest(), eu.ReadLatest());
        var both = await Task.WhenAll(us.AddIf(1), eu.AddIf(1));
        var (count, version) = await us.ReadLatest();
        Assert.Equal(both.Count(b => b), count);
        Assert.Equal(count, version);
        Assert.Contains(true, both);
    }

    [Fact]
    public async Task A_state_that_was_returned_is_a_copy()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalStockGrain>());
        var stock = silo.Grains.GetGrain<IStock>("a");
        await stock.AddAndConfirm(2);
        (await stock.Whole()).Count = 99;
        Assert.Equal(2, (await stock.Whole()).Count);
    }
}
