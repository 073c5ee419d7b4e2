using Geo.Orleans.Tests.Grains;
using Geo.Testing.Tests;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Directory;

/// <summary>
/// What an access costs where the silo that is called is not the one on which the grain is placed: the first looks the grain up, the second
/// acquires it.
/// </summary>
public sealed class SeveralSilosAccessTests(ITestOutputHelper output)
{
    [Fact]
    public async Task A_first_access_takes_one_read_and_two_writes_at_home_also_where_another_silo_is_called()
    {
        var accesses = new Accesses();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Silos = 2,
            Rows = name => accesses.Over(name, new InMemoryConditionalStore()),
        });
        await CallAsync("eu", "warm-up");
        await CallAsync("us", "warm-up");

        for (var i = 0; i < 5; i++)
        {
            var (key, costs) = ($"called-on-another-{i}", new List<AccessCost>());
            foreach (var from in (string[])["eu", "eu", "us", "us", "eu"])
            {
                costs.Add(await accesses.MeasureAsync(from, () => CallAsync(from, key)));
            }

            output.WriteLine(string.Join("; ", costs));

            // A silo of the instance's cluster to which the call is carried finds out which of them has it, unless it has it itself.
            Assert.InRange(costs[2].OtherReads, 1, 2);
            costs[2] = costs[2] with { OtherReads = 1 };
            Assert.Equal(Accesses.Figure8.Take(costs.Count).Select(access => access.Cost with { RoundTrips = 0 }), costs);
        }

        // Called through the first silo, placed on the second.
        async Task<int> CallAsync(string cluster, string key)
        {
            var second = clusters.SilosOf(cluster)[1].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;
            RequestContext.Set(IPlacementDirector.PlacementHintKey, second);
            await clusters.Grains(cluster).GetGrain<ISpot>(key).Where();
            RequestContext.Clear();
            return 0;
        }
    }
}
