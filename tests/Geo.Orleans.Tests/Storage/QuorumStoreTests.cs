using System.Collections.Concurrent;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Storage;

/// <summary>Three Orleans clusters that keep versions by majority, each in a store of its own.</summary>
public sealed class QuorumStoreTests
{
    private static readonly string[] Clusters = ["eu", "us", "asia"];

    [Fact]
    public async Task Versions_live_on_when_one_of_three_clusters_is_killed_and_comes_back()
    {
        var disks = new ConcurrentDictionary<string, InMemoryConditionalStore>();
        await using var clusters = await OrleansClusters.StartAsync(new()
        {
            Clusters = Clusters,
            Geo = geo => geo.AddQuorumStore("quorum", Clusters, services => disks.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
        });
        IKept In(string cluster) => clusters.Grains(cluster).GetGrain<IKept>("a");
        Assert.Equal(1, await In("asia").Add(1));
        Assert.Equal(3, await In("us").Add(2));

        await clusters.KillAsync("asia");
        Assert.Equal(7, await In("us").Add(4));
        Assert.Equal(15, await In("eu").Add(8));

        await clusters.RestartAsync("asia");
        await Eventually.Is(15, In("asia").Read);
    }
}
