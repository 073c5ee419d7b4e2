using Geo.Consistency;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

public sealed class SessionTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    [Fact]
    public async Task A_session_that_changes_clusters_with_each_call_sees_what_it_has_written()
    {
        ISummed[] grains = [Summed("eu", "moving"), Summed("us", "moving")];
        var session = new GeoSession();
        for (var i = 1; i <= 20; i++)
        {
            var sent = SessionContext.Token = session.Token;
            var outcome = await grains[i % 2].Add(1, i % 3 != 0);
            session.Take(sent, outcome.Session);
            Assert.Equal((i % 2 == 0 ? "eu" : "us", i % 3 != 0), (outcome.Cluster.Name, outcome.IsConfirmed));
            sent = SessionContext.Token = session.Token;
            var read = await grains[(i + 1) % 2].Sum();
            session.Take(sent, read.Session);
            Assert.Equal((i, i), (read.Value, read.Version));
        }
    }

    [Fact]
    public async Task A_session_that_changes_clusters_sees_what_it_has_written_to_a_store()
    {
        ISummedInStore[] grains = [InStore("eu", "moving"), InStore("us", "moving")];
        var session = new GeoSession();
        for (var i = 1; i <= 20; i++)
        {
            var sent = SessionContext.Token = session.Token;
            var outcome = await grains[i % 2].Add(1, i % 3 != 0);
            session.Take(sent, outcome.Session);
            sent = SessionContext.Token = session.Token;
            var read = await grains[(i + 1) % 2].Sum();
            session.Take(sent, read.Session);
            Assert.Equal((i, i), (read.Value, read.Version));
        }
    }

    [Fact]
    public async Task The_versions_of_a_grain_can_be_followed()
    {
        var waiting = Summed("us", "followed").WaitFor(2);
        await Summed("eu", "followed").Add(1, true);
        await Summed("eu", "followed").Add(1, true);
        Assert.Equal(2, (await waiting).Value);
    }

    private ISummedInStore InStore(string cluster, string key) => two.Clusters.Grains(cluster).GetGrain<ISummedInStore>(key);

    private ISummed Summed(string cluster, string key) => two.Clusters.Grains(cluster).GetGrain<ISummed>(key);
}
