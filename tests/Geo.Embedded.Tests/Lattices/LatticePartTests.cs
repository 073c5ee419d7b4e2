using Geo.Consistency.Lattices;

namespace Geo.Embedded.Tests.Lattices;

/// <summary>Coordination-free grains that two of three clusters have replicas of.</summary>
public sealed class LatticePartTests
{
    private static readonly string[] Names = ["asia", "eu", "us"];

    [Fact]
    public async Task Each_grain_is_served_by_two_clusters_and_calls_from_the_third_and_from_clients_go_there()
    {
        await using var three = await ThreeClusters.StartAsync();
        await using var client = await three["us"].ConnectClientAsync();
        var held = new List<string>();
        for (var i = 0; i < 12; i++)
        {
            var key = $"{i}";
            var servers = await Task.WhenAll(Names.Select(name => three.Shelf(name, key).Where()));
            Assert.Equal(2, servers.Distinct().Count());
            Assert.All(servers, server => Assert.Equal(server, servers[Array.IndexOf(Names, server)]));
            Assert.Equal(servers[2], await client.GetGrain<IShelf>(key).Where());
            held.AddRange(servers.Distinct());
            foreach (var name in Names)
            {
                await three.Shelf(name, key).Put(name);
            }

            await client.GetGrain<IShelf>(key).PutSoon("client");
            foreach (var name in Names)
            {
                await Eventually.HoldsAsync(
                    async () => await three.Shelf(name, key).Show() == "asia, client, eu, us", $"{name} sees all of {key}");
                await three.Shelf(name, key).KnownIn(2);
            }
        }

        Assert.Equal(3, held.Distinct().Count());
        await Assert.ThrowsAsync<GeoConfigurationException>(() => three.Shelf("us", "0").ShowInSession());
    }

    [Fact]
    public async Task Calls_from_a_cluster_without_a_replica_go_on_when_the_first_holder_has_stopped_and_are_refused_without_any()
    {
        await using var three = await ThreeClusters.StartAsync();
        var (key, holder) = await FindAsync(three);
        var shelf = three.Shelf("us", key);
        await shelf.Put("book");
        await shelf.KnownIn(2);
        await three[holder].DisposeAsync();
        await Eventually.HoldsAsync(() => !three["us"].Silo.IsLinkedTo(new(holder)), $"{holder} is gone");
        Assert.Equal("book", await shelf.Show());
        var other = await shelf.Where();
        Assert.NotEqual(holder, other);
        await shelf.Put("lamp");
        Assert.Equal("book, lamp", await shelf.Show());
        await three[other].DisposeAsync();
        await Eventually.HoldsAsync(() => !three["us"].Silo.IsLinkedTo(new(other)), $"{other} is gone");
        await Assert.ThrowsAsync<GeoUnavailableException>(shelf.Show);
    }

    [Fact]
    public async Task A_journaled_class_may_have_replicas_in_some_clusters_too()
    {
        await using var three = await ThreeClusters.StartAsync();
        foreach (var name in Names)
        {
            await three[name].Grains.GetGrain<IVotes>("mayor").Vote();
        }

        foreach (var name in Names)
        {
            await Eventually.HoldsAsync(async () => await three[name].Grains.GetGrain<IVotes>("mayor").Show() == 3, $"{name} sees all");
        }
    }

    [Theory]
    [InlineData(typeof(Causal))]
    [InlineData(typeof(Negative))]
    public void What_cannot_be_kept_is_refused_at_start(Type type) =>
        Assert.Contains("Replicas", Assert.Throws<GeoConfigurationException>(() => new GrainClass(type)).Message, StringComparison.Ordinal);

    [Fact]
    public async Task Clusters_of_which_one_has_a_class_in_some_clusters_and_one_in_all_do_not_start_beside_each_other()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<InAll>(), [("eu", null)]);
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => TestSilo.StartAsync("eu", geo => geo.AddGrain<InSome>(), [("us", us.Address)]));
        Assert.Contains(
            "the grain class 'spread' has replicas in some clusters ([CoordinationFree(Replicas = ...)]) in cluster 'eu', and in all in "
                + "cluster 'us'",
            refused.Message, StringComparison.Ordinal);
        Assert.False(us.Silo.IsLinkedTo(new("eu")));
    }

    /// <summary>A grain that us has no replica of, and the holder that its calls go to.</summary>
    private static async Task<(string Key, string Holder)> FindAsync(ThreeClusters three)
    {
        for (var i = 0; ; i++)
        {
            if (await three.Shelf("us", $"{i}").Where() is var holder and not "us")
            {
                return ($"{i}", holder);
            }
        }
    }

    public interface ISpread : IGrainWithStringKey;

    /// <summary>A class, as one build has it.</summary>
    [GrainType("spread")]
    [CoordinationFree]
    public sealed class InAll : LatticeGrain<PnCounter>, ISpread;

    /// <summary>The same class, as the next build has it.</summary>
    [GrainType("spread")]
    [CoordinationFree(Replicas = 1)]
    public sealed class InSome : LatticeGrain<PnCounter>, ISpread;

    public interface IShelf : IGrainWithStringKey
    {
        Task Put(string item);

        [OneWay]
        Task PutSoon(string item);

        Task KnownIn(int clusters);

        Task<string> Show();

        Task<string> Where();

        Task<string> ShowInSession();
    }

    [CoordinationFree(Replicas = 2)]
    public sealed class Shelf(IGeoSilo silo) : LatticeGrain<Dotted<OrSet<string>>>, IShelf
    {
        public Task Put(string item)
        {
            Update((items, origin) => items.Content.Add(origin.NextDot(), item));
            return Task.CompletedTask;
        }

        public Task PutSoon(string item) => Put(item);

        public Task KnownIn(int clusters) => KnownInAsync(clusters);

        public Task<string> Show() => Task.FromResult(string.Join(", ", State.Content.Order()));

        public Task<string> Where() => Task.FromResult(silo.Cluster.Name);

        public async Task<string> ShowInSession() =>
            await OpenSession().ReadAsync(Key, (Dotted<OrSet<string>> items) => string.Join(", ", items.Content.Order()));
    }

    public sealed record Voted;

    public interface IVotes : IGrainWithStringKey
    {
        Task Vote();

        Task<long> Show();
    }

    public sealed class VotesState : LatticeState<PnCounter>
    {
        public long Count => Value.Value;

        public void Apply(Voted voted) => Update((state, origin) => state.Add(origin.Source, 1));
    }

    [CoordinationFree(Replicas = 2)]
    public sealed class Votes : JournaledGrain<VotesState, Voted>, IVotes
    {
        public async Task Vote()
        {
            RaiseEvent(new Voted());
            await ConfirmEvents();
        }

        public Task<long> Show() => Task.FromResult(State.Count);
    }

    [CoordinationFree(Replicas = 2, Level = ConsistencyLevel.Causal)]
    public sealed class Causal : LatticeGrain<PnCounter>, IEmpty;

    [CoordinationFree(Replicas = -1)]
    public sealed class Negative : LatticeGrain<PnCounter>, IEmpty;

    public interface IEmpty : IGrainWithStringKey;

    private sealed class ThreeClusters : IAsyncDisposable
    {
        private readonly Dictionary<string, TestSilo> _silos = [];

        public TestSilo this[string name] => _silos[name];

        public static async Task<ThreeClusters> StartAsync()
        {
            var three = new ThreeClusters();
            foreach (var name in Names)
            {
                var others = Names.Where(other => other != name)
                    .Select(other => (other, three._silos.TryGetValue(other, out var silo) ? silo.Address : null)).ToArray();
                three._silos[name] = await TestSilo.StartAsync(name, geo => geo.AddGrain<Shelf>().AddGrain<Votes>(), others);
            }

            foreach (var (name, silo) in three._silos)
            {
                foreach (var other in Names.Where(other => other != name))
                {
                    await Eventually.HoldsAsync(() => silo.Silo.IsLinkedTo(new(other)), $"{name} is linked to {other}");
                }
            }

            return three;
        }

        public IShelf Shelf(string name, string key) => _silos[name].Grains.GetGrain<IShelf>(key);

        public async ValueTask DisposeAsync()
        {
            foreach (var silo in _silos.Values)
            {
                await silo.DisposeAsync();
            }
        }
    }
}
