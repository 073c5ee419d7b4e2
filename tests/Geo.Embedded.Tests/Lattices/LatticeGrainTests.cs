using System.Net;
using Geo.Consistency.Lattices;
using Geo.Testing.Wan;

namespace Geo.Embedded.Tests.Lattices;

public sealed class LatticeGrainTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Both_clusters_update_through_a_cut_and_agree_after_it()
    {
        await using var here = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        await using var link = DelayedLink.Start(new() { Target = IPEndPoint.Parse(here.Address) });
        await using var there = await TestSilo.StartAsync("eu", Configure, [("us", link.ListeningOn.ToString())]);
        await Eventually.HoldsAsync(() => there.Silo.IsLinkedTo(new("us")), "eu is linked");
        var (us, eu) = (here.Grains.GetGrain<ICart>("ann"), there.Grains.GetGrain<ICart>("ann"));
        await us.Add("milk", 1);
        await us.KnownIn(2);
        Assert.Equal("1 milk", await eu.Show());

        link.Cut(CutMode.Drop);
        await us.Remove("milk");
        await us.Add("bread", 2);
        await eu.Add("milk", 4);
        await eu.Add("eggs", 6);
        Assert.Equal(("2 bread", "6 eggs, 5 milk"), (await us.Show(), await eu.Show()));

        link.Heal();
        await Eventually.HoldsAsync(
            async () => await us.Show() == "2 bread, 6 eggs, 4 milk" && await eu.Show() == await us.Show(), "both carts are merged");
    }

    [Fact]
    public async Task A_silo_that_starts_anew_has_what_the_other_cluster_knows_and_one_that_stops_leaves_nothing_behind()
    {
        await using var us = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        string shown;
        await using (var eu = await TestSilo.StartAsync("eu", Configure, [("us", us.Address)]))
        {
            await Eventually.HoldsAsync(() => eu.Silo.IsLinkedTo(new("us")), "eu is linked");
            await us.Grains.GetGrain<ICart>("ann").Add("milk", 1);
            await Eventually.HoldsAsync(async () => await eu.Grains.GetGrain<ICart>("ann").Show() == "1 milk", "eu has the milk");
            await eu.Grains.GetGrain<ICart>("ann").Add("eggs", 6);
            shown = await eu.Grains.GetGrain<ICart>("ann").Show();
        }

        // Its last epoch had not ended.
        Assert.Equal(shown, await us.Grains.GetGrain<ICart>("ann").Show());
        await using var anew = await TestSilo.StartAsync("eu", Configure, [("us", us.Address)]);
        await Eventually.HoldsAsync(async () => await anew.Grains.GetGrain<ICart>("ann").Show() == shown, "eu has all again");
    }

    [Fact]
    public async Task Changes_are_told_wherever_they_were_made()
    {
        await using var clusters = await TwoClusters.StartAsync(Configure);
        var follower = clusters.Us.Grains.GetGrain<ICart>("ann");
        var seen = follower.ShowWhenThereAre(2);
        await follower.Add("milk", 1);
        await clusters.Eu.Grains.GetGrain<ICart>("ann").Add("eggs", 6);
        Assert.Equal("6 eggs, 1 milk", await seen.WaitAsync(TimeSpan.FromSeconds(30), Token));
    }

    [Fact]
    public async Task What_cannot_be_known_in_time_is_of_unknown_outcome_and_stays()
    {
        await using var us = await TestSilo.StartAsync(
            "us", geo => Configure(geo.Configure(o => o.RequestTimeout = TimeSpan.FromSeconds(1))));
        var cart = us.Grains.GetGrain<ICart>("ann");
        await cart.Add("milk", 1);
        await cart.KnownIn(1);
        await Assert.ThrowsAnyAsync<GeoException>(() => cart.KnownIn(2));
        Assert.Equal("1 milk", await cart.Show());
    }

    [Fact]
    public async Task What_the_store_has_outlives_the_silo_and_an_update_can_be_awaited_until_it_is_there()
    {
        var store = new InMemoryConditionalStore();
        await using (var us = await TestSilo.StartAsync("us", Stored))
        {
            await us.Grains.GetGrain<ILikes>("post").Add(3);
            Assert.Equal("lattice/us/likes/post", Assert.Single(await store.ListAsync("", Token).ToListAsync(Token)).Key);
            await us.Grains.GetGrain<ILikes>("other").Add(2);
            await us.Grains.GetGrain<ILikes>("other").Clear();
        }

        await using var anew = await TestSilo.StartAsync("us", Stored);
        Assert.Equal((3, 0), (await anew.Grains.GetGrain<ILikes>("post").Show(), await anew.Grains.GetGrain<ILikes>("other").Show()));

        void Stored(GeoEmbeddedBuilder geo) => geo.AddGrain<Likes>().AddStore("likes", _ => store);
    }

    [Theory]
    [InlineData(typeof(Undeclared))]
    [InlineData(typeof(NoLattice))]
    [InlineData(typeof(Contradiction))]
    public void A_class_is_either_coordination_free_or_not(Type type) =>
        Assert.Throws<GeoConfigurationException>(() => new GrainClass(type));

    private static void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<Cart>();

    public interface ICart : IGrainWithStringKey
    {
        Task Add(string item, int amount);

        Task Remove(string item);

        Task KnownIn(int clusters);

        [AlwaysInterleave]
        Task<string> ShowWhenThereAre(int items);

        Task<string> Show();
    }

    [CoordinationFree]
    public sealed class Cart : LatticeGrain<Dotted<OrMap<string, DotCounter>>>, ICart
    {
        public Task Add(string item, int amount)
        {
            Update((cart, origin) => cart.Content.Update(item, n => n.Add(origin.NextDot(), amount)));
            return Task.CompletedTask;
        }

        public Task Remove(string item)
        {
            Update((cart, origin) => cart.Content.Remove(origin.NextDot(), item));
            return Task.CompletedTask;
        }

        public Task KnownIn(int clusters) => KnownInAsync(clusters);

        public async Task<string> ShowWhenThereAre(int items)
        {
            await foreach (var cart in ChangesAsync())
            {
                if (cart.Content.Count >= items)
                {
                    break;
                }
            }

            return await Show();
        }

        public Task<string> Show() => Task.FromResult(string.Join(", ", State.Content.Select(e => $"{e.Value.Value} {e.Key}")));
    }

    public interface ILikes : IGrainWithStringKey
    {
        Task Add(int amount);

        Task Clear();

        Task<long> Show();
    }

    [CoordinationFree(Storage = "likes")]
    public sealed class Likes : LatticeGrain<Generation<PnCounter>>, ILikes
    {
        public Task Add(int amount)
        {
            Update((likes, origin) => likes.Update(likes.Value.Add(origin.Source, amount)));
            return DurableAsync();
        }

        public Task Clear()
        {
            Delete();
            return Task.CompletedTask;
        }

        public async Task<long> Show()
        {
            await PullAsync();
            return State.Value.Value;
        }
    }

    public sealed class Undeclared : LatticeGrain<PnCounter>, IEmpty;

    [CoordinationFree]
    public sealed class NoLattice : Grain, IEmpty;

    [CoordinationFree]
    [GlobalSingleInstance]
    public sealed class Contradiction : LatticeGrain<PnCounter>, IEmpty;

    public interface IEmpty : IGrainWithStringKey;
}
