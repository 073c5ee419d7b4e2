using Geo.Consistency.Lattices;

namespace Geo.Embedded.Tests.Lattices;

/// <summary>Coordination-free grains in the style of JournaledGrain.</summary>
public sealed class LatticeJournalTests
{
    [Fact]
    public async Task Events_of_both_clusters_are_in_the_state_of_both()
    {
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<Tally>());
        var (us, eu) = (clusters.Us.Grains.GetGrain<ITally>("a"), clusters.Eu.Grains.GetGrain<ITally>("a"));
        await us.Count(1);
        Assert.Equal(1, await us.Show());
        await eu.CountEverywhere(2);
        Assert.Equal(3, await us.ShowLatest());
        await Eventually.HoldsAsync(async () => await eu.Show() == 3, "eu has what us counted");
        await Eventually.HoldsAsync(async () => await us.Changes() >= 1, "us was told of events");
        await Assert.ThrowsAnyAsync<Exception>(() => us.CountIf(1));
        Assert.Equal(3, await us.ShowLatest());
    }

    [Fact]
    public async Task Of_a_single_cluster_events_are_confirmed_at_once()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Tally>());
        await us.Grains.GetGrain<ITally>("a").CountEverywhere(2);
        Assert.Equal(2, await us.Grains.GetGrain<ITally>("a").ShowLatest());
    }

    [Theory]
    [InlineData(typeof(NotFree))]
    [InlineData(typeof(NoLattice))]
    [InlineData(typeof(StoredInOrder))]
    public void A_class_that_contradicts_itself_is_refused(Type type) =>
        Assert.Throws<GeoConfigurationException>(() => new GrainClass(type));

    public interface ITally : IGrainWithStringKey
    {
        Task Count(int amount);

        Task CountEverywhere(int amount);

        Task<long> Show();

        Task<long> ShowLatest();

        Task<int> Changes();

        Task<bool> CountIf(int amount);
    }

    public sealed record Counted(int Amount);

    public sealed class TallyState : LatticeState<PnCounter>
    {
        public void Apply(Counted counted) => Update((state, origin) => state.Add(origin.Source, counted.Amount));
    }

    [CoordinationFree]
    public sealed class Tally : JournaledGrain<TallyState, Counted>, ITally
    {
        private int _changes;

        public Task Count(int amount)
        {
            RaiseEvent(new Counted(amount));
            return Task.CompletedTask;
        }

        public async Task CountEverywhere(int amount)
        {
            RaiseEvent(new Counted(amount));
            await ConfirmEvents();
        }

        public Task<long> Show() => Task.FromResult(State.Value.Value);

        public async Task<long> ShowLatest()
        {
            await RefreshNow();
            return State.Value.Value;
        }

        public Task<int> Changes() => Task.FromResult(_changes);

        public Task<bool> CountIf(int amount) => RaiseConditionalEvent(new Counted(amount));

        protected override void OnStateChanged() => _changes++;
    }

    public sealed class NotFree : JournaledGrain<TallyState, Counted>, IOther;

    [CoordinationFree]
    public sealed class NoLattice : JournaledGrain<List<int>, Counted>, IOther;

    [CoordinationFree(Level = ConsistencyLevel.Causal, Storage = "likes")]
    public sealed class StoredInOrder : JournaledGrain<TallyState, Counted>, IOther;

    public interface IOther : IGrainWithStringKey;
}
