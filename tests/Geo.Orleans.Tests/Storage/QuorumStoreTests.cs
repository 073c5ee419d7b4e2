using System.Collections.Concurrent;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Geo.Testing;
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
        await using var clusters = await GeoTestCluster.StartAsync(new()
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

    [Fact]
    public async Task Every_cluster_answers_for_a_store_that_it_was_given_though_none_of_its_classes_uses_it()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = Clusters,
            Geo = geo => geo.AddQuorumStore("spare", Clusters, _ => new InMemoryConditionalStore()),
        });
        var silo = clusters.SilosOf("eu")[0].Services.GetRequiredService<IGeoSilo>();
        var store = (QuorumConditionalStore)silo.FindStore("spare");
        Assert.Equal(
            StoreWriteOutcome.Applied,
            (await store.WriteAsync("k", new byte[1], null, TestContext.Current.CancellationToken)).Outcome);
        Assert.Equal(new(Keys: 1), await store.SweepAsync(TestContext.Current.CancellationToken));
        Assert.Throws<GeoConfigurationException>(() => silo.FindStore("other"));
    }

    [Fact]
    public async Task A_silo_that_is_torn_down_takes_no_part_any_more()
    {
        var parts = new ConcurrentBag<PartStore>();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Geo = geo => geo.AddStore("kept", _ =>
            {
                var store = new PartStore();
                parts.Add(store);
                return store;
            }),
        });
        await clusters.KillAsync("us");
        Assert.Single(parts, p => p.HasLeft);
    }

    private sealed class PartStore() : StoreOver(new InMemoryConditionalStore()), IClusterStore, IDisposable
    {
        public IReadOnlyList<ClusterId> Keepers { get; } = [new("us")];

        public bool HasLeft { get; private set; }

        public Guid Identity => Guid.Empty;

        public IDisposable Join(IClusterMessenger messenger) => this;

        public void Dispose() => HasLeft = true;
    }
}
