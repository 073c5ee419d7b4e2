using Geo.Directory;

namespace Geo.Embedded.Tests;

/// <summary>A configuration store that is set back while a process does not run, which keeps no row of its own.</summary>
public sealed class RestoredConfigurationTests
{
    private const string Store = "configuration";

    private readonly InMemoryConditionalStore _store = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_silo_does_not_start_from_a_backup_of_what_others_have_processed()
    {
        await using var us = await StartAsync("us", ("eu", null));
        var eu = await StartAsync("eu", ("us", us.Address));
        var backup = (await _store.ReadAsync(ConfigurationDocuments.Key, Stop)).Value.ToArray();
        var us1 = us.Silo.Configuration!;
        await Eventually.HoldsAsync(
            async () => (await us1.ReachAsync(new ClusterId("us"), [us.Address], Stop)).IsMade, "the configuration is changed");
        await Eventually.HoldsAsync(
            async () => await us1.DescribeAsync(Stop) is { Version: 2, Waiting: null }, "both have processed the change");
        await eu.DisposeAsync();
        var present = await _store.ReadAsync(ConfigurationDocuments.Key, Stop);
        await _store.WriteAsync(ConfigurationDocuments.Key, backup, present.ETag, Stop);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync("eu", ("us", us.Address)));
        Assert.Contains("holds version 1, and cluster 'us' has processed version 2", refused.Message, StringComparison.Ordinal);

        var restored = await _store.ReadAsync(ConfigurationDocuments.Key, Stop);
        await _store.WriteAsync(ConfigurationDocuments.Key, present.Value, restored.ETag, Stop);
        await using var again = await StartAsync("eu", ("us", us.Address));
        Assert.Equal(2, (await again.Silo.Configuration!.DescribeAsync(Stop)).Version);
    }

    private Task<TestSilo> StartAsync(string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster,
        geo => geo.AddGrain<SingleCounterGrain>().AddStore(Store, _ => _store)
            .Configure(o => o.ConfigurationStore = Store),
        others);
}
