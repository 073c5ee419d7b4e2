using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Lattices;

/// <summary>Coordination-free grains that two of three clusters have replicas of.</summary>
public sealed class LatticePartTests
{
    private static readonly string[] Names = ["asia", "eu", "us"];

    [Fact]
    public async Task Each_grain_is_served_by_two_clusters_and_calls_from_the_third_and_from_clients_go_there()
    {
        await using var clusters = await GeoTestCluster.StartAsync(
            new() { Clusters = Names, SilosIn = new Dictionary<string, int> { ["eu"] = 2 } });
        var client = await clusters.ConnectAsync("us", useGeo: true);
        var held = new List<string>();
        for (var i = 0; i < 12; i++)
        {
            var key = $"{i}";
            var servers = await Task.WhenAll(Names.Select(name => Shelf(clusters, name, key).Where()));
            Assert.Equal(2, servers.Distinct().Count());
            Assert.All(servers, server => Assert.Equal(server, servers[Array.IndexOf(Names, server)]));
            Assert.Equal(servers[2], await client.GetGrain<IShelf>(key).Where());
            held.AddRange(servers.Distinct());
            foreach (var name in Names)
            {
                await Shelf(clusters, name, key).Put(name);
            }

            await client.GetGrain<IShelf>(key).PutSoon("client");
            foreach (var name in Names)
            {
                await Eventually.Is("asia, client, eu, us", () => Shelf(clusters, name, key).Show());
                await Shelf(clusters, name, key).KnownIn(2);
            }
        }

        Assert.Equal(3, held.Distinct().Count());
        await Assert.ThrowsAsync<GeoConfigurationException>(() => Shelf(clusters, "us", "0").ShowInSession());
    }

    [Fact]
    public async Task Calls_from_a_cluster_without_a_replica_go_on_when_the_first_holder_is_gone()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Clusters = Names });
        var (caller, key, holder) = await FindAsync(clusters);
        var shelf = Shelf(clusters, caller, key);
        await shelf.Put("book");
        await shelf.KnownIn(2);
        await clusters.KillAsync(holder);
        await Eventually.Is("book", shelf.Show);
        Assert.NotEqual(holder, await shelf.Where());
        await shelf.Put("lamp");
        Assert.Equal("book, lamp", await shelf.Show());
    }

    /// <summary>A cluster without a replica of a grain, and the holder that its calls go to.</summary>
    private static async Task<(string Caller, string Key, string Holder)> FindAsync(GeoTestCluster clusters)
    {
        for (var i = 0; ; i++)
        {
            if (await Shelf(clusters, "us", $"{i}").Where() is var holder and not "us")
            {
                return ("us", $"{i}", holder);
            }
        }
    }

    private static IShelf Shelf(GeoTestCluster clusters, string cluster, string key) => clusters.Grains(cluster).GetGrain<IShelf>(key);
}
