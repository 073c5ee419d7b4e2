namespace Geo.Directory.Tests;

public sealed class GlobalDirectoryOptionsTests
{
    [Fact]
    public void The_defaults_hold()
    {
        Assert.NotNull(Create(new GlobalDirectoryOptions()));
    }

    [Fact]
    public void An_option_out_of_range_is_named()
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => Create(new() { StoreAttempts = 0, MaxHints = -1 }));

        Assert.Contains("StoreAttempts", refused.Message, StringComparison.Ordinal);
        Assert.Contains("MaxHints", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_round_that_would_be_abandoned_while_it_runs_is_refused()
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => Create(new() { RoundLifetime = TimeSpan.FromSeconds(2) }));

        Assert.Contains("RoundLifetime", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_configuration_without_the_local_cluster_is_refused()
    {
        var world = new World(1, "us");
        world.Configurations[new ClusterId("us")] = new MultiClusterConfiguration(3, [new ClusterId("eu")]);

        var refused = Assert.Throws<GeoConfigurationException>(() => world.AddSilo(new ClusterId("us"), "us/1"));

        Assert.Contains("'us' is not in configuration 3", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_directory_that_is_not_started_says_so()
    {
        var world = new World(1, "us");
        var silo = world.AddSilo(new ClusterId("us"), "us/1");

        await Assert.ThrowsAsync<InvalidOperationException>(
            async () =>
                await silo.Directory.AcquireAsync(
                    World.Grain, "us/1", SingleInstanceMode.Optimistic, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void A_key_that_is_not_one_is_refused()
    {
        var world = new World(1, "us");
        World.Run(world, async silos =>
        {
            await Assert.ThrowsAsync<ArgumentException>(() => silos[0].CallAsync(default));
            await Assert.ThrowsAsync<ArgumentException>(() => silos[0].CallAsync(new GrainKey("a/b", "c")));
        });
    }

    private static GlobalDirectory Create(GlobalDirectoryOptions options)
    {
        var world = new World(1, "us") { Options = options };
        return world.AddSilo(new ClusterId("us"), "us/1").Directory;
    }
}
