using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Orleans.Tests.Journaling;

namespace Geo.Orleans.Tests.Lattices;

/// <summary>Coordination-free grains in the style of JournaledGrain, on two clusters of two silos.</summary>
public sealed class LatticeJournalTests(SeveralSilosTests.FourSilos four) : IClassFixture<SeveralSilosTests.FourSilos>
{
    [Fact]
    public async Task Events_of_both_clusters_are_in_the_state_of_both()
    {
        for (var i = 0; i < 4; i++)
        {
            var (us, eu) = (Hits("us", i), Hits("eu", i));
            await us.Count(1);
            Assert.Equal(1, await us.Show());
            await eu.CountEverywhere(2);
            await Eventually.Is("3", async () => $"{await us.ShowLatest()}");
            await Eventually.Is("3", async () => $"{await eu.Show()}");
            await Eventually.Is("True", async () => $"{await us.Changes() >= 1}");
            await Assert.ThrowsAnyAsync<Exception>(() => us.CountIf(1));
            Assert.Equal(3, await us.ShowLatest());
        }
    }

    private IHits Hits(string cluster, int i) => four.Clusters.Grains(cluster, i % 2).GetGrain<IHits>($"hits {i}");
}
