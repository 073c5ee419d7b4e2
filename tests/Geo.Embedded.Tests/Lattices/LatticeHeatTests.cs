using Geo.Consistency.Lattices;

namespace Geo.Embedded.Tests.Lattices;

/// <summary>A grain that a cluster without a replica of it calls much.</summary>
public sealed class LatticeHeatTests
{
    [Fact]
    public async Task A_cluster_that_calls_a_grain_much_serves_it_itself_for_as_long_as_it_does()
    {
        await using var us = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", us.Address)]);
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new("eu")), "the clusters are linked");
        var key = "";
        for (var i = 0; key.Length == 0; i++)
        {
            key = await us.Grains.GetGrain<ILikes>($"{i}").Like() == "eu" ? $"{i}" : "";
        }

        var (likes, made) = (us.Grains.GetGrain<ILikes>(key), 1);
        await Eventually.HoldsAsync(async () =>
        {
            made++;
            return await likes.Like() == "us";
        }, "us serves what it calls much");
        await Eventually.HoldsAsync(async () => await likes.Count() == made, "us has what was carried to eu before");
        await Eventually.HoldsAsync(async () => await eu.Grains.GetGrain<ILikes>(key).Count() == made, "eu has what us counted");

        // Waits without calling: what ends first is the activation, then the replica.
        await Eventually.HoldsAsync(() => us.Silo.ActivationCount == 0, "nobody uses it");
        var lattices = ((GeoSilo)us.Silo).Lattices!;
        await Eventually.HoldsAsync(() => !lattices.IsHere(new("likes", key)), "us has given it back");
        Assert.Equal("eu", await likes.Like());
        Assert.Equal(made + 1, await likes.Count());

        static void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<Likes>().Configure(options =>
        {
            options.IdleDeactivation = TimeSpan.FromMilliseconds(200);
            options.Lattices = new() { HotRate = 5, HotFor = TimeSpan.FromMilliseconds(200) };
        });
    }

    public interface ILikes : IGrainWithStringKey
    {
        Task<string> Like();

        Task<long> Count();
    }

    [CoordinationFree(Replicas = 1)]
    public sealed class Likes(IGeoSilo silo) : LatticeGrain<PnCounter>, ILikes
    {
        public Task<string> Like()
        {
            Update((state, origin) => state.Add(origin.Source, 1));
            return Task.FromResult(silo.Cluster.Name);
        }

        public Task<long> Count() => Task.FromResult(State.Value);
    }
}
