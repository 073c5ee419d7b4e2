using Geo.HealthChecks;
using Geo.Orleans.Tests.Clusters;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Geo.Orleans.Tests.Hosting;

public sealed class HealthTests
{
    [Fact]
    public async Task A_silo_with_a_lease_and_a_neighbour_is_healthy_and_degraded_while_the_neighbour_is_lost()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Services = services => services.AddGeoHealthChecks(health => health.OutOfReach = TimeSpan.Zero),
        });
        await Eventually.Is(HealthStatus.Healthy, async () => (await CheckAsync(clusters)).Status);
        var report = await CheckAsync(clusters);
        Assert.StartsWith("Renewed ", report.Entries["geo.lease"].Description);
        Assert.True(report.Entries["geo.stores"].Data.ContainsKey(StoreAnswer.DirectoryRows));

        await clusters.KillAsync("us");

        await Eventually.Is(HealthStatus.Degraded, async () => (await CheckAsync(clusters)).Status);
        Assert.StartsWith("Out of reach: us for ", (await CheckAsync(clusters)).Entries["geo.links"].Description);
    }

    private static Task<HealthReport> CheckAsync(GeoTestCluster clusters) =>
        clusters.SilosOf("eu")[0].Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken);
}
