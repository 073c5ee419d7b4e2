using Geo.Consistency;
using Geo.Orleans.Tests.Grains;
using Geo.Orleans.Tests.Journaling;

namespace Geo.Orleans.Tests.Lattices;

/// <summary>Sessions of two clusters of two silos, each of which has a replica.</summary>
public sealed class LatticeSessionTests(SeveralSilosTests.FourSilos four) : IClassFixture<SeveralSilosTests.FourSilos>
{
    [Fact]
    public async Task A_session_that_goes_to_the_other_cluster_sees_there_what_it_has_written_and_what_that_follows()
    {
        for (var i = 0; i < 20; i++)
        {
            SessionContext.Token = SessionToken.None;
            var written = await Note("us", i, $"question {i}").Write("why?");
            SessionContext.Token = written;
            Assert.Equal("why?", await Note("eu", i, $"question {i}").Read());
            var answered = await Note("eu", i + 1, $"answer {i}").Answer($"question {i}", "so");
            SessionContext.Token = answered;
            Assert.Equal("why? so", await Note("us", i, $"answer {i}").Both($"question {i}"));
        }
    }

    [Fact]
    public async Task A_session_touches_no_class_below_its_level()
    {
        SessionContext.Token = SessionToken.None;
        await Assert.ThrowsAsync<GeoConfigurationException>(() => Note("us", 0, "a").ReadAt(ConsistencyLevel.ItemCut));
        Assert.Equal("", await Note("us", 0, "a").ReadAt(ConsistencyLevel.Pram));
    }

    private INote Note(string cluster, int silo, string key) => four.Clusters.Grains(cluster, silo % 2).GetGrain<INote>(key);
}
