using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>What a silo answers its host about grains whose class it does not serve, and about those that move to it.</summary>
public sealed class InstanceRegistrationTests
{
    [Fact]
    public void A_silo_without_a_directory_by_majority_leaves_such_grains_to_those_that_have_one()
    {
        var world = new World();
        World.Run(world, silos => TestAsync(world, silos[0]));
    }

    [Fact]
    public void What_moves_here_runs_under_the_tenancy_that_its_move_began()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var (second, left) = await LeftAsync(world, silos[0]);
            await using var cluster = SiloOf(world, second);
            var registration = cluster.Register(new InstanceDirectories(second.Directory, Quorum: null));
            Assert.Equal(
                new Placement(PlacementKind.Here, second.Cluster, second.Node),
                await registration.RegisterMovedAsync(World.Grain, SingleInstanceMode.Pessimistic, silos[0].Node, left));
            Assert.NotNull(second.Directory.TenancyOf(World.Grain));
        });
    }

    /// <summary>Whoever had it meanwhile may have confirmed what the arriving instance, with what it brings, does not know.</summary>
    [Fact]
    public void What_arrives_after_its_tenancy_had_ended_runs_no_call_though_nobody_has_the_grain()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var (second, left) = await LeftAsync(world, silos[0]);
            await silos[0].Directory.ReleaseAsync(World.Grain, silos[0].Node, left);
            await silos[1].CallAsync(World.Grain);
            silos[1].Instances.Remove(World.Grain);
            await silos[1].Directory.ReleaseAsync(World.Grain, silos[1].Node);

            await using var cluster = SiloOf(world, second);
            var registration = cluster.Register(new InstanceDirectories(second.Directory, Quorum: null));
            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
                async () => await registration.RegisterMovedAsync(World.Grain, SingleInstanceMode.Pessimistic, silos[0].Node, left));
            Assert.Contains("begins anew at the next call", refused.Message, StringComparison.Ordinal);
            Assert.Null(second.Directory.TenancyOf(World.Grain));
            Assert.Equal(PlacementKind.Here, (await second.CallAsync(World.Grain)).Kind);
        });
    }

    /// <summary>An instance on one silo, the next silo of its cluster, and the tenancy that it takes along there.</summary>
    private static async Task<(Silo Second, long Left)> LeftAsync(World world, Silo first)
    {
        var second = world.AddSilo(first.Cluster, "eu/2");
        await World.StartAsync(second);
        await first.CallAsync(World.Grain);
        first.Instances.Remove(World.Grain);
        return (second, first.Directory.TenancyOf(World.Grain)!.Value);
    }

    private static ClusterSilo SiloOf(World world, Silo silo)
    {
        var member = new SiblingNet(world.Time).Join(silo.Node);
        return new(
            new ClusterSiloOptions { Clusters = ["eu", "us"] }, silo.Rows, member, member, new NoInstances(), world.Time,
            NullLogger.Instance);
    }

    private static async Task TestAsync(World world, Silo silo)
    {
        await using var cluster = SiloOf(world, silo);
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
