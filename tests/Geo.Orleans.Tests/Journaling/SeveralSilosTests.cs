using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

/// <summary>Two clusters of two silos: what arrives at one silo is for an instance on the other as often as not.</summary>
public sealed class SeveralSilosTests(SeveralSilosTests.FourSilos four) : IClassFixture<SeveralSilosTests.FourSilos>
{
    private const int Keys = 8;

    [Fact]
    public async Task Notifications_reach_instances_on_every_silo()
    {
        for (var key = 0; key < Keys; key++)
        {
            var (eu, us) = (Grain<ITally>("eu", key, $"spread-{key}"), Grain<ITally>("us", key, $"spread-{key}"));
            await us.Latest();

            await eu.Confirm(key);

            await Eventually.Is(new Reading(1, key, 0), us.Glance);
        }
    }

    [Fact]
    public async Task A_leader_on_any_silo_orders_the_updates_of_both_clusters()
    {
        for (var key = 0; key < Keys; key++)
        {
            var (eu, us) = (Grain<ILed>("eu", key, $"led-{key}"), Grain<ILed>("us", key, $"led-{key}"));

            await Task.WhenAll(Enumerable.Range(1, 50).Select(i => (i % 2 == 0 ? eu : us).Confirm(i)));

            Assert.Equal(new Reading(50, 1275, 0), await eu.Latest());
            Assert.Equal(new Reading(50, 1275, 0), await us.Latest());
        }
    }

    [Fact]
    public async Task A_single_instance_with_stored_versions_goes_on_where_it_is_called_next()
    {
        var eu = Grain<IVault>("eu", 0, "vault");
        var us = Grain<IVault>("us", 1, "vault");
        Assert.Equal("eu", await eu.Confirm(5));
        Assert.Equal("eu", await us.Confirm(6));

        await eu.End();

        Assert.Equal(new Reading(2, 11, 0), await us.Latest());
    }

    private T Grain<T>(string cluster, int silo, string key)
        where T : IGrainWithStringKey => four.Clusters.Grains(cluster, silo % 2).GetGrain<T>(key);

    public sealed class FourSilos : IAsyncLifetime
    {
        internal GeoTestCluster Clusters { get; private set; } = null!;

        public async ValueTask InitializeAsync() => Clusters = await GeoTestCluster.StartAsync(new() { Silos = 2 });

        public ValueTask DisposeAsync() => Clusters.DisposeAsync();
    }
}
