using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Failures;

public sealed class StoreOutageTests
{
    [Fact]
    public Task While_the_row_store_is_out_of_reach_calls_are_refused_once_the_lease_has_run_out_and_the_instance_goes_on_afterwards() =>
        LoseRowsAsync("outage", _ => { });

    [Fact]
    public Task So_it_is_with_the_call_filter_of_an_Orleans_whose_messages_cannot_be_reached() =>
        LoseRowsAsync("filtered-outage", UnreachedMessages.Use);

    private static async Task LoseRowsAsync(string name, Action<IServiceCollection> services)
    {
        await using var clusters = await GeoTestCluster.StartAsync(
            GeoTestClusterOptions.Impatient with
            {
                LeaseDuration = TimeSpan.FromSeconds(1),
                Services = services,

                // The store is away here, never a cluster.
                Settings = settings => settings.UnreachableAfter = null,
            });
        var eu = clusters.Grains("eu").GetGrain<ISpot>(name);
        var us = clusters.Grains("us").GetGrain<ISpot>(name);
        var before = await eu.Where();
        Assert.Equal(7, await us.Add(7));
        var lease = clusters.SilosOf("eu")[0].Services.GetRequiredService<ILeaseGuard>();

        clusters.RowsOf("eu").Unreachable = true;
        await Eventually.Is(false, () => Task.FromResult(lease.MayServe));

        await Assert.ThrowsAsync<GeoUnavailableException>(eu.Where);
        await Assert.ThrowsAnyAsync<GeoException>(us.Where);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => clusters.Grains("eu").GetGrain<ISpot>($"new-in-{name}").Where());

        clusters.RowsOf("eu").Unreachable = false;
        Assert.Equal(before, await Eventually.Succeeds(eu.Where));
        Assert.Equal(before, await Eventually.Succeeds(us.Where));
        Assert.Equal(7, await eu.Add(0));
        await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>($"new-in-{name}").Where());
    }
}
