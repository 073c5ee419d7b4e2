using Geo.Consistency;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

public sealed class ReadReplicaTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    [Fact]
    public async Task A_cluster_without_the_instance_reads_its_copy_and_what_asks_for_more_goes_to_the_instance()
    {
        var (eu, us) = (Priced("eu", "tea"), Priced("us", "tea"));
        Assert.Equal(1, await eu.Raise(5));
        Assert.Equal("eu", (await us.Price()).Cluster.Name);
        await Eventually.Is("us", async () => (await us.Price()).Cluster.Name);
        Assert.Equal("tea", await us.Name());
        var read = await us.Price();
        Assert.Equal((5, 1), (read.Value, read.Version));
        Assert.InRange(read.Age!.Value, TimeSpan.Zero, TimeSpan.FromSeconds(2));

        // Not yet on the copy, perhaps: the latest version is, and a session that has seen it sees it again.
        Assert.Equal(2, await eu.Raise(2));
        Assert.Equal(7, await us.LatestPrice());
        Assert.Equal(3, await eu.Raise(1));
        SessionContext.Token = (await eu.Price()).Session;
        Assert.Equal(8, (await us.Price()).Value);
        SessionContext.Token = SessionToken.None;
        await Eventually.Is(("us", 8), async () => await us.Price() is var last ? (last.Cluster.Name, last.Value) : default);
    }

    [Fact]
    public async Task A_method_that_catches_what_it_asked_for_in_vain_is_run_at_the_instance_all_the_same()
    {
        var (eu, us) = await CopiedAsync("rice");
        await eu.Raise(1);
        Assert.Equal(2, await us.LatestOrKnownPrice());
    }

    [Fact]
    public async Task Events_are_raised_at_the_instance_only()
    {
        var (_, us) = await CopiedAsync("salt");
        Assert.Equal(2, await us.Raise(1));
        Assert.Equal(2, await us.LatestPrice());
    }

    /// <summary>A grain with an instance in one cluster and its copy in the other.</summary>
    private async Task<(IPriced Eu, IPriced Us)> CopiedAsync(string key)
    {
        var (eu, us) = (Priced("eu", key), Priced("us", key));
        await eu.Raise(1);
        await us.Price();
        await Eventually.Is("us", async () => (await us.Price()).Cluster.Name);
        return (eu, us);
    }

    private IPriced Priced(string cluster, string key) => two.Clusters.Grains(cluster).GetGrain<IPriced>(key);
}
