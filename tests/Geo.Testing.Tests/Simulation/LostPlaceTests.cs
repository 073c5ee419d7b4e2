using Geo.Directory;
using Geo.Embedded;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>Calls of grains that are remembered to be in a cluster that is out of reach now.</summary>
public class LostPlaceTests(ITestOutputHelper output)
{
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(250);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_grain_that_lives_elsewhere_than_it_is_remembered_answers_while_the_remembered_cluster_is_away(bool atOnce) =>
        GeoSimulation.Explore(20, async world =>
        {
            var (asia, eu, us) = await StartAsync(world);
            await us.Client().Grain<IGuest>("1").Stay();
            await eu.Client().Grain<IGuest>("1").Stay();

            // It ends there, and the notice to eu is lost; then it lives in asia, which eu knows nothing of.
            world.Partition(eu, us);
            await us.Client().Grain<IGuest>("1").Leave();
            await world.PassAsync(TimeSpan.FromSeconds(1));
            await asia.Client().Grain<IGuest>("1").Stay();
            if (atOnce)
            {
                // A link that is lost as the call is made.
                world.Mend(eu, us);
                await world.PassAsync(TimeSpan.FromSeconds(1));
                world.Partition(eu, us);
            }
            else
            {
                us.Crash();
                await world.PassAsync(world.Network.Options.MaxDelay);
            }

            var place = "";
            Assert.True(await eu[0].RunAsync(async () => place = await eu[0].Grains.GetGrain<IGuest>("1").Stay()));
            Assert.Equal("asia", place);
            await asia.Client().Grain<IGuest>("1").Leave();
            await world.PassAsync(TimeSpan.FromSeconds(1));
            Assert.Equal(CallEnd.Failed, (await eu.Client().Grain<IGuest>("1").TryAsync(g => g.Stay())).End);
        });

    [Fact]
    public void A_grain_that_lived_in_a_lost_cluster_is_refused_fast_however_many_there_are_and_however_often_they_are_called() =>
        GeoSimulation.Explore(5, async world =>
        {
            var (asia, eu, us) = await StartAsync(world);
            string[] keys = [.. Enumerable.Range(0, 100).Select(i => $"{i}")];
            await Task.WhenAll(keys.Select(key => us.Client().Grain<IGuest>(key).Stay()));
            await Task.WhenAll(keys.Select(key => eu.Client().Grain<IGuest>(key).Stay()));
            world.Partition(eu, us);
            world.Partition(asia, us);
            await world.PassAsync(TimeSpan.FromMilliseconds(100));

            // All at once, as callers come; and then one after the other, each found out about already.
            var (since, together) = (world.Time.Elapsed, TimeSpan.Zero);
            await eu[0].RunAsync(async () =>
            {
                var ends = await Task.WhenAll(keys.Select(CallAsync));
                together = world.Time.Elapsed - since;
                Assert.All(ends, end => Assert.Equal(CallEnd.Failed, end));
                foreach (var key in keys)
                {
                    Assert.Equal(CallEnd.Failed, await CallAsync(key));
                }
            });

            var after = world.Time.Elapsed - since - together;
            output.WriteLine($"{together.TotalMilliseconds:0} ms together, {after.TotalMilliseconds:0} ms one after the other");
            Assert.InRange(together, TimeSpan.Zero, RoundTrip);
            Assert.InRange(after, TimeSpan.Zero, TimeSpan.FromMilliseconds(10));

            async Task<CallEnd> CallAsync(string key) => (await eu[0].Grains.GetGrain<IGuest>(key).TryAsync(g => g.Stay())).End;
        });

    [Fact]
    public void Callers_are_answered_by_the_owner_while_a_call_on_their_own_duplicate_does_not_end() =>
        GeoSimulation.Explore(20, async world =>
        {
            var (asia, eu, us) = await StartAsync(world);
            await us.Client().Grain<ILooseGuest>("1").Stay();
            world.Partition(eu, us);
            await world.PassAsync(TimeSpan.FromSeconds(2));
            Assert.Equal("eu", await eu.Client().Grain<ILooseGuest>("1").Stay());
            _ = eu.Client().Grain<ILooseGuest>("1").TryAsync(g => g.Hang());
            await world.PassAsync(TimeSpan.FromMilliseconds(100));
            world.Mend(eu, us);
            while (world.Watch.StateOf(eu.Id, "looseguest/1") == GsiState.Doubtful)
            {
                await world.PassAsync(TimeSpan.FromMilliseconds(10));
            }

            await world.PassAsync(RoundTrip);
            var since = world.Time.Elapsed;
            Assert.Equal("us", await eu.Client().Grain<ILooseGuest>("1").Stay());
            Assert.InRange(world.Time.Elapsed - since, TimeSpan.Zero, 2 * RoundTrip);
            Assert.Equal("us", await asia.Client().Grain<ILooseGuest>("1").Stay());
        });

    [Theory]
    [InlineData(
        nameof(ProtocolRule.LookAnew),
        nameof(A_grain_that_lives_elsewhere_than_it_is_remembered_answers_while_the_remembered_cluster_is_away))]
    [InlineData(
        nameof(ProtocolRule.YieldingPoints), nameof(Callers_are_answered_by_the_owner_while_a_call_on_their_own_duplicate_does_not_end))]
    public void What_is_switched_off_is_missed(string rule, string scenario)
    {
        SwitchedOff.Set([Enum.Parse<ProtocolRule>(rule)]);
        try
        {
            var broken = Assert.ThrowsAny<Exception>(() => Run(scenario));
            output.WriteLine(broken.InnerException!.Message);
            Assert.IsType<SimulationException>(broken.InnerException);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private void Run(string scenario)
    {
        var method = GetType().GetMethod(scenario)!;
        method.Invoke(this, [.. method.GetParameters().Select(_ => (object)false)]);
    }

    private static async Task<(SimulatedCluster Asia, SimulatedCluster Eu, SimulatedCluster Us)> StartAsync(SimulationWorld world)
    {
        var (asia, eu, us) = (world.AddCluster("asia", Configure), world.AddCluster("eu", Configure), world.AddCluster("us", Configure));
        await world.StartAsync();
        world.Network.Options.RefusedWhenCut = 1;
        return (asia, eu, us);
    }

    private static void Configure(IHostApplicationBuilder host) => host.UseGeoEmbedded(geo => geo.AddGrain<Guest>().AddGrain<LooseGuest>());

    public interface IGuest : IGrainWithStringKey
    {
        /// <returns>The cluster in which it is.</returns>
        Task<string> Stay();

        Task Leave();
    }

    public interface ILooseGuest : IGrainWithStringKey
    {
        Task<string> Stay();

        Task Hang();
    }

    [GlobalSingleInstance]
    [Reentrant]
    public sealed class LooseGuest(IGeoSilo silo) : Grain, ILooseGuest
    {
        public Task<string> Stay() => Task.FromResult(silo.Administration.Cluster.Name);

        public Task Hang() => new TaskCompletionSource().Task;
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
    public sealed class Guest(IGeoSilo silo) : Grain, IGuest
    {
        public Task<string> Stay() => Task.FromResult(silo.Administration.Cluster.Name);

        public Task Leave()
        {
            DeactivateOnIdle();
            return Task.CompletedTask;
        }
    }
}
