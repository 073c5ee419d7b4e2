using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Geo.HealthChecks.Tests;

public sealed class EmbeddedHealthTests
{
    [Fact]
    public async Task A_region_whose_neighbour_stops_is_degraded_and_healthy_again_when_that_is_back()
    {
        await using var us = await Region.StartAsync("us", "eu", null, health => health.OutOfReach = TimeSpan.Zero);
        var eu = await Region.StartAsync("eu", "us", us.Address);
        await using (eu)
        {
            await us.UntilAsync("geo.links", HealthStatus.Healthy);
            Assert.Equal(HealthStatus.Healthy, (await us.CheckAsync()).Status);
        }

        var links = await us.UntilAsync("geo.links", HealthStatus.Degraded);
        Assert.StartsWith("Out of reach: eu for ", links.Description);
        Assert.Equal(HealthStatus.Degraded, (await us.CheckAsync()).Status);

        await using var again = await Region.StartAsync("eu", "us", us.Address);
        await us.UntilAsync("geo.links", HealthStatus.Healthy);
    }

    [Fact]
    public async Task A_silo_that_stops_is_unhealthy()
    {
        await using var us = await Region.StartAsync("us", "eu", null);
        await us.StopAsync();

        Assert.Equal(HealthStatus.Unhealthy, (await us.CheckAsync()).Status);
    }

    [Fact]
    public async Task A_store_that_hangs_is_told_and_asked_once_however_often_the_health_is_checked()
    {
        var store = new SilentStore();
        await using var us = await Region.StartAsync(
            "us", "eu", null,
            health => (health.SlowStore, health.StoreTimeout) = (TimeSpan.FromMilliseconds(10), TimeSpan.FromMilliseconds(20)), store);

        var first = (await us.CheckAsync()).Entries["geo.stores"];
        await us.CheckAsync();

        Assert.Equal(HealthStatus.Degraded, first.Status);
        Assert.Contains("store 'Ledgers': it has not answered for", first.Description);
        Assert.Equal(1, store.Reads);
        store.Answer();
        await us.UntilAsync("geo.stores", HealthStatus.Healthy);
    }

    [Fact]
    public async Task A_threshold_that_cannot_be_ends_the_start()
    {
        var wrong = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Region.StartAsync("us", "eu", null, health => health.LeaseAge = 2));
        var crossed = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Region.StartAsync("us", "eu", null, health => health.SlowStore = health.StoreTimeout));

        Assert.Contains("LeaseAge", wrong.Message);
        Assert.Contains("StoreTimeout", crossed.Message);
    }
}
