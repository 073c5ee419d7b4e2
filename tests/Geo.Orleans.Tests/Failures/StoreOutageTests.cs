using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Failures;

public sealed class StoreOutageTests
{
    [Fact]
    public async Task While_the_row_store_is_out_of_reach_calls_are_refused_once_the_lease_has_run_out_and_the_instance_goes_on_afterwards()
    {
        await using var clusters = await OrleansClusters.StartAsync(OrleansClustersOptions.Impatient with { LeaseDuration = TimeSpan.FromSeconds(1) });
        var eu = clusters.Grains("eu").GetGrain<ISpot>("outage");
        var us = clusters.Grains("us").GetGrain<ISpot>("outage");
        var before = await eu.Where();
        Assert.Equal(7, await us.Add(7));
        var lease = clusters.SilosOf("eu")[0].Services.GetRequiredService<SiloLease>();

        clusters.RowsOf("eu").Unreachable = true;
        await Eventually.Is(false, () => Task.FromResult(lease.IsHeld));

        await Assert.ThrowsAsync<GeoUnavailableException>(eu.Where);
        await Assert.ThrowsAnyAsync<GeoException>(us.Where);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => clusters.Grains("eu").GetGrain<ISpot>("new-in-outage").Where());

        clusters.RowsOf("eu").Unreachable = false;
        Assert.Equal(before, await Eventually.Succeeds(eu.Where));
        Assert.Equal(before, await Eventually.Succeeds(us.Where));
        Assert.Equal(7, await eu.Add(0));
        await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>("new-in-outage").Where());
    }
}
