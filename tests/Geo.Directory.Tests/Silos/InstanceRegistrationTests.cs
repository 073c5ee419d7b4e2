using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>What a silo answers its host about grains whose class it does not serve.</summary>
public sealed class InstanceRegistrationTests
{
    [Fact]
    public void A_silo_without_a_directory_by_majority_leaves_such_grains_to_those_that_have_one()
    {
        var world = new World();
        World.Run(world, silos => TestAsync(world, silos[0]));
    }

    private static async Task TestAsync(World world, Silo silo)
    {
        var member = new SiblingNet(world.Time).Join("eu/1");
        await using var cluster = new ClusterSilo(
            new ClusterSiloOptions { Clusters = ["eu", "us"] }, silo.Rows, member, member, new NoInstances(), world.Time,
            NullLogger.Instance);
        var registration = cluster.Register(new InstanceDirectories(silo.Directory, Quorum: null));
        Assert.Null(await registration.LookupAsync(World.Grain, SingleInstanceMode.Quorum));
        Assert.Null(await registration.LookupAsync(World.Grain, SingleInstanceMode.Pessimistic));
        await Assert.ThrowsAsync<GeoConfigurationException>(
            async () => await registration.RegisterAsync(World.Grain, SingleInstanceMode.Quorum));
    }

    private sealed class NoInstances : IInstanceTable
    {
        public bool Has(GrainKey key) => false;

        public Task DeactivateAsync(GrainKey key, string reason) => Task.CompletedTask;
    }
}
