using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>Nothing is tried for ever, even where whatever is tried against keeps changing.</summary>
public sealed class BoundedLoopTests
{
    private const int ForEver = 10_000;
    private static readonly GrainKey Grain = World.Grain;

    private static InvalidOperationException Endless => new("It never ends.");

    [Fact]
    public void A_move_whose_row_keeps_changing_is_refused()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await silos[0].CallAsync(Grain);
            silos[0].Instances.Remove(Grain);
            var writes = 0;
            second.Rows.WriteFault = _ => ++writes < ForEver ? StoreFault.Conflicts : throw Endless;

            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
                () => second.Directory.MoveAsync(
                    Grain, silos[0].Node, second.Node, cancellationToken: TestContext.Current.CancellationToken).AsTask());

            Assert.Contains("did not move", refused.Message, StringComparison.Ordinal);
            Assert.InRange(writes, 2, 100);
            Assert.Equal(silos[0].Node, silos[0].Entry(Grain).Node);
        });
    }

    [Fact]
    public void An_acquisition_whose_row_keeps_changing_is_refused_and_waits_between_its_tries()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await second.CallAsync(Grain);
            world.Crash(second);
            var writes = 0;
            silos[0].Rows.WriteFault = _ => ++writes < ForEver ? StoreFault.Conflicts : throw Endless;

            var took = await world.MeasureAsync(async () =>
                await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Grain)));

            Assert.InRange(took, TimeSpan.FromSeconds(1), world.Options.AcquireTimeout);
        });
    }

    [Fact]
    public void An_acquisition_waits_for_fences_no_longer_than_its_limit_however_many_silos_die_in_between()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.AddUnfenced(silos[0].Cluster, "eu/100");
            await WriteRowOfAsync(silos[0], "eu/100");
            var calling = silos[0].CallAsync(Grain);
            for (var i = 100; i < 110; i++)
            {
                await world.PassAsync(world.Options.TakeoverTimeout / 2);
                world.AddUnfenced(silos[0].Cluster, $"eu/{i + 1}");
                await WriteRowOfAsync(silos[0], $"eu/{i + 1}");
                world.Fence(silos[0].Cluster, $"eu/{i}");
            }

            Assert.True(calling.IsCompleted);
            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => calling);
            Assert.Contains("could not be fenced off", refused.Message, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void A_registration_ends_where_the_directory_names_a_silo_that_the_membership_never_lets_call()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await second.CallAsync(Grain);
            var membership = new DeadMembership(silos[0].Node);
            using var fences = new SiloFences(silos[0].Rows.Inner, TimeSpan.FromSeconds(6), world.Time, NullLogger.Instance);
            var liveness = new SiloLiveness(membership, fences, _ => false);
            var registration = new InstanceRegistration(new(silos[0].Directory, null), liveness, silos[0].Node);

            var took = await world.MeasureAsync(async () =>
            {
                var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
                    () => registration.RegisterAsync(
                        Grain, SingleInstanceMode.Optimistic, cancellationToken: TestContext.Current.CancellationToken).AsTask());
                Assert.Contains("silo 'eu/2'", refused.Message, StringComparison.Ordinal);
            });

            Assert.InRange(took, TimeSpan.FromSeconds(1), world.Options.TakeoverTimeout + TimeSpan.FromSeconds(1));
        });
    }

    private static async Task WriteRowOfAsync(Silo silo, string node)
    {
        var rowKey = DirectoryRows.KeyOf(Grain);
        var read = await silo.Rows.Inner.ReadAsync(rowKey);
        var entry = new GsiEntry { State = GsiState.Doubtful, Node = node, Epoch = 7, Round = 7 };
        Assert.Equal(StoreWriteOutcome.Applied, (await silo.Rows.Inner.WriteAsync(rowKey, entry.Encode(), read.ETag)).Outcome);
    }

    /// <summary>Calls every other silo dead.</summary>
    private sealed class DeadMembership(string local) : ISiloMembership
    {
        private int _asked;

        public string Local => local;

        public SiloMembers Members => ++_asked < ForEver
            ? new([new(local, SiloState.Living), new("eu/2", SiloState.Dead)])
            : throw Endless;
    }
}
