using System.Net;
using Geo.Testing.Wan;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

/// <summary>A cluster cannot be added by a rolling restart: silos that know different clusters would give a grain two owners.</summary>
public sealed class ClusterListTests
{
    private readonly InMemoryConditionalStore _rows = new();

    [Fact]
    public async Task A_silo_that_knows_another_cluster_more_does_not_start_beside_one_that_does_not()
    {
        var ports = FreePorts.Take(4);
        var (first, second) = (new SiloPorts(ports[0], ports[1], 0), new SiloPorts(ports[2], ports[3], 0));
        await using (var old = await StartAsync(first, first, "us"))
        {
            var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync(second, first, "us", "asia"));

            Assert.Contains("has the clusters asia,eu,us in its settings", refused.Message, StringComparison.Ordinal);
            Assert.Contains("stop all of them", refused.Message, StringComparison.Ordinal);
            await using var same = await StartAsync(second, first, "us");
        }

        await using var anew = await StartAsync(first, first, "us", "asia");
    }

    private Task<GeoTestSilo> StartAsync(SiloPorts own, SiloPorts primary, params string[] others) =>
        GeoTestSilo.StartAsync(own, new IPEndPoint(IPAddress.Loopback, primary.Silo), "eu", silo =>
        {
            silo.Configure<ClusterMembershipOptions>(GeoTestSilo.DetectSoon);
            silo.UseGeo(geo => geo.UseRowStore(_ => _rows).Configure(options =>
            {
                options.ClusterId = "eu";
                foreach (var other in others)
                {
                    options.Clusters[other] = [];
                }
            }));
        });
}
