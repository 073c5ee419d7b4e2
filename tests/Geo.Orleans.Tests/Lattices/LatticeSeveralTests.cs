using Geo.Consistency;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Orleans.Tests.Journaling;

namespace Geo.Orleans.Tests.Lattices;

/// <summary>A coordination-free grain that every silo of two clusters of two silos serves, by two activations (PerSilo).</summary>
public sealed class LatticeSeveralTests(SeveralSilosTests.FourSilos four) : IClassFixture<SeveralSilosTests.FourSilos>
{
    [Fact]
    public async Task Every_silo_that_is_called_serves_a_hot_grain_from_its_own_replica_by_several_activations()
    {
        var gate = Stand.Gate("hot");
        Task<string[]>[] calls = [
            .. Enumerable.Range(0, 4).Select(i => On("eu", i % 2, "hot").EnterAndWait("hot")), On("us", 0, "hot").EnterAndWait("hot")];
        await Eventually.Is("5", () => Task.FromResult($"{Volatile.Read(ref gate.Inside.Value)}"));
        gate.Opened.SetResult();
        var served = await Task.WhenAll(calls);
        Assert.Equal(5, served.Select(s => s[1]).Distinct().Count());
        Assert.Equal((served[0][0], served[1][0]), (served[2][0], served[3][0]));
        Assert.Equal(3, served.Select(s => s[0]).Distinct().Count());
        foreach (var (cluster, silo) in new[] { ("eu", 0), ("eu", 1), ("us", 0), ("us", 1) })
        {
            await Eventually.Is("5", async () => $"{await On(cluster, silo, "hot").Visitors()}");
        }
    }

    [Fact]
    public async Task A_session_sees_at_every_silo_what_it_wrote_at_another()
    {
        for (var i = 0; i < 20; i++)
        {
            SessionContext.Token = SessionToken.None;
            SessionContext.Token = await On("eu", i % 2, $"session {i}").Note($"note {i}");
            var here = await On("eu", i % 2, $"session {i}").ReadNote();
            var sibling = await On("eu", (i + 1) % 2, $"session {i}").ReadNote();
            Assert.Equal(($"note {i}", $"note {i}"), (here[0], sibling[0]));
            Assert.NotEqual(here[1], sibling[1]);
            Assert.Equal($"note {i}", (await On("us", i % 2, $"session {i}").ReadNote())[0]);
        }
    }

    private IStand On(string cluster, int silo, string key) => four.Clusters.Grains(cluster, silo).GetGrain<IStand>(key);
}
