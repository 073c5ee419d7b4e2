using Geo.Storage.Quorum;

namespace Geo.Embedded.Tests;

/// <summary>Three clusters without any storage in common: their grains' versions are kept by majority.</summary>
public sealed class QuorumStoreTests
{
    private static readonly string[] Clusters = ["us", "eu", "asia"];

    [Fact]
    public async Task Versions_live_on_when_one_of_three_clusters_dies_and_comes_back()
    {
        var disks = Clusters.ToDictionary(c => c, _ => new InMemoryConditionalStore());
        await using var us = await StartAsync("us", disks, ("eu", null), ("asia", null));
        await using var eu = await StartAsync("eu", disks, ("us", us.Address), ("asia", null));
        var asia = await StartAsync("asia", disks, ("us", us.Address), ("eu", eu.Address));
        await us.LinkedAsync("eu", "asia");
        await eu.LinkedAsync("us", "asia");
        await asia.Grains.GetGrain<IStock>("a").AddAndConfirm(1);
        Assert.Equal((1, 1), await us.Grains.GetGrain<IStock>("a").ReadLatest());
        var store = (QuorumConditionalStore)us.Silo.FindStore(GeoStorage.Default);
        Assert.True((await store.SweepAsync(TestContext.Current.CancellationToken)).IsComplete);

        await asia.DisposeAsync();
        await us.Grains.GetGrain<IStock>("a").AddAndConfirm(2);
        await eu.Grains.GetGrain<IStock>("a").AddAndConfirm(4);
        Assert.Equal((7, 3), await us.Grains.GetGrain<IStock>("a").ReadLatest());

        await using var back = await StartAsync("asia", disks, ("us", us.Address), ("eu", eu.Address));
        await back.LinkedAsync("us", "eu");
        Assert.Equal((7, 3), await back.Grains.GetGrain<IStock>("a").ReadLatest());
        await eu.DisposeAsync();
        await back.Grains.GetGrain<IStock>("a").AddAndConfirm(8);
        Assert.Equal((15, 4), await us.Grains.GetGrain<IStock>("a").ReadLatest());
    }

    [Fact]
    public async Task Clusters_that_name_other_keepers_are_not_linked()
    {
        var disks = Clusters.ToDictionary(c => c, _ => new InMemoryConditionalStore());
        await using var us = await StartAsync("us", disks, ("eu", null));
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync(
            "eu",
            geo => geo.AddGrain<SharedStockGrain>().AddQuorumStore(GeoStorage.Default, ["us", "eu"], _ => disks["eu"]),
            [("us", us.Address)]));
        Assert.Contains("Default", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_keeper_without_a_store_of_its_own_does_not_start()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync(
            "us", geo => geo.AddGrain<SharedStockGrain>().AddQuorumStore(GeoStorage.Default, Clusters, rows: null)));
        Assert.Contains("no store of its own", refused.Message, StringComparison.Ordinal);
    }

    private static Task<TestSilo> StartAsync(
        string cluster, Dictionary<string, InMemoryConditionalStore> disks, params (string Name, string? Address)[] others) =>
        TestSilo.StartAsync(
            cluster,
            geo => geo.AddGrain<SharedStockGrain>().AddQuorumStore(GeoStorage.Default, Clusters, _ => disks[cluster]),
            others);
}
