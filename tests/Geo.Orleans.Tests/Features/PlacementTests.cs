using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Features;

public sealed class PlacementTests
{
    [Fact]
    public async Task A_placement_attribute_chooses_among_the_silos_of_the_cluster_of_the_first_call()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { SilosIn = new Dictionary<string, int> { ["eu"] = 2 } });
        var silos = clusters.SilosOf("eu").Select(silo => silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress.ToString())
            .ToArray();

        for (var silo = 0; silo < silos.Length; silo++)
        {
            var key = $"first-called-through-{silo}";
            Assert.Equal(silos[silo], await clusters.Grains("eu", silo).GetGrain<IHomely>(key).Where());
            Assert.Equal(silos[silo], await clusters.Grains("us").GetGrain<IHomely>(key).Where());
        }
    }
}
