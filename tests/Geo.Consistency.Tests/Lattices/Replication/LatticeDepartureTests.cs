using Geo.Consistency.Lattices;
using Geo.Consistency.Tests.Lattices.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>What a replica does before it stops in an orderly way.</summary>
public sealed class LatticeDepartureTests
{
    private static readonly SimulatedNetworkOptions Steady = new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    };

    [Fact]
    public void Who_stops_hands_over_what_it_may_take_and_who_crashes_freezes_it()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            var key = new GrainKey("seats", "hall");
            foreach (var name in world.Live)
            {
                await world.At(name, e =>
                {
                    e.Add(new LatticeClass<EscrowCounter>("seats"));
                    using var handle = e.Open<EscrowCounter>(key);
                    handle.Update((s, o) => s.Add(o.Source, 10));
                });
            }

            await world.Delay(1);
            var left = Task.CompletedTask;
            await world.At("a", e => left = e.LeaveAsync(CancellationToken.None));
            await world.Delay(1);
            Assert.True(left.IsCompletedSuccessfully);
            Assert.Equal(0, world.State<EscrowCounter>("a", key).Rights(world["a"].Node.Data.Id));
            world.Crash("a");
            var (state, self, other) = (world.State<EscrowCounter>("b", key), world["b"].Node.Data.Id, world["c"].Node.Data.Id);
            Assert.Equal((30, 30), (state.Value, state.Rights(self) + state.Rights(other)));
            world.Crash("c");
            await world.Delay(1);
            state = world.State<EscrowCounter>("b", key);
            Assert.Equal((30, 30 - state.Rights(other)), (state.Value, state.Rights(self)));
            Assert.Equal(EscrowOutcome.NotHere, state.TryTake(self, 30, out _));
        });
    }

    [Fact]
    public void Who_stops_does_not_wait_for_a_cluster_whose_link_goes_down_meanwhile()
    {
        var world = new LatticeWorld(1, ["a", "b"]);
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Options.Loss = 1;
            await world.Count("a", "likes", 1);
            var left = Task.CompletedTask;
            await world.At("a", e => left = e.LeaveAsync(CancellationToken.None));
            await world.Delay(1);
            Assert.False(left.IsCompleted);
            world.Network.Isolate(new("b"));
            await world.Delay(2.5);
            Assert.True(left.IsCompletedSuccessfully);
        });
    }

    [Fact]
    public void Who_stops_while_its_links_come_back_waits_for_them_where_nobody_has_what_it_made()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Isolate(new("b"));
            await world.Count("a", "likes", 1);
            var left = Task.CompletedTask;
            await world.At("a", e => left = e.LeaveAsync(CancellationToken.None));
            await world.Delay(1);
            Assert.False(left.IsCompleted);
            world.Network.Heal();
            await world.Delay(1);
            Assert.True(left.IsCompletedSuccessfully);
            Assert.Equal(1, world.State<PnCounter>("b", new("counter", "likes")).Value);
        });
    }

    [Fact]
    public void Who_stops_leaves_what_it_has_to_no_life_that_is_gone()
    {
        Assert.Equal(1, AtOther(null));
        Assert.Equal(0, AtOther(LatticeRule.KeepersHaveHeard));

        static long AtOther(LatticeRule? off) => Rules.Without(off, () =>
        {
            var world = new LatticeWorld(1, ["a", "b"], Steady);
            return world.Scheduler.Run(async () =>
            {
                await world.Delay(1);
                await world.Count("a", "likes", 1);
                await world.Delay(20);

                // a knows the life that had all, and has not heard yet that another one is there.
                world.Crash("b");
                world.Start("b");
                await world.Delay(0.01);
                Assert.True(await world.StopAsync("a"));
                await world.Delay(5);
                return world.State<PnCounter>("b", new("counter", "likes")).Value;
            });
        });
    }

    [Fact]
    public void Who_stops_gives_what_it_may_take_to_no_life_that_is_gone()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            var key = new GrainKey("seats", "hall");
            await AddSeats("a");
            await AddSeats("b");
            await world.Delay(1);

            // a has not heard yet that another one is there.
            world.Crash("b");
            world.Start("b");
            await world.Delay(0.01);
            var left = Task.CompletedTask;
            await world.At("a", e => left = e.LeaveAsync(CancellationToken.None));
            await world.At("b", e => e.Add(new LatticeClass<EscrowCounter>("seats")));
            await world.Delay(5);
            Assert.True(left.IsCompletedSuccessfully);
            Assert.Equal(10, world.State<EscrowCounter>("b", key).Rights(world["b"].Node.Data.Id));

            Task AddSeats(string name) => world.At(name, e =>
            {
                e.Add(new LatticeClass<EscrowCounter>("seats"));
                using var handle = e.Open<EscrowCounter>(key);
                handle.Update((s, o) => s.Add(o.Source, 10));
            });
        });
    }

    [Fact]
    public void Who_stops_asks_again_who_lives_where_the_answer_is_lost()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            var key = new GrainKey("seats", "hall");
            foreach (var name in world.Live)
            {
                await world.At(name, e => e.Add(new LatticeClass<EscrowCounter>("seats")));
            }

            await world.At("a", e =>
            {
                using var handle = e.Open<EscrowCounter>(key);
                handle.Update((s, o) => s.Add(o.Source, 10));
            });
            await world.Delay(20);
            world.Network.Options.Loss = 1;
            var left = Task.CompletedTask;
            await world.At("a", e => left = e.LeaveAsync(CancellationToken.None));
            await world.Delay(0.5);
            world.Network.Options.Loss = 0;
            await world.Delay(2);
            Assert.True(left.IsCompletedSuccessfully);
            Assert.Equal(10, world.State<EscrowCounter>("b", key).Rights(world["b"].Node.Data.Id));
        });
    }

    [Fact]
    public void Who_stops_gives_what_it_may_take_to_nobody_who_stops()
    {
        for (var seed = 1; seed <= 5; seed++)
        {
            var world = new LatticeWorld(seed, ["a", "b", "c"], Steady);
            world.Run(async () =>
            {
                await world.Delay(1);
                var key = new GrainKey("seats", "hall");
                foreach (var name in world.Live)
                {
                    await world.At(name, e =>
                    {
                        e.Add(new LatticeClass<EscrowCounter>("seats"));
                        using var handle = e.Open<EscrowCounter>(key);
                        handle.Update((s, o) => s.Add(o.Source, 10));
                    });
                }

                await world.Delay(1);
                var left = new List<Task>();
                await world.At("a", e => left.Add(e.LeaveAsync(CancellationToken.None)));
                await world.At("b", e => left.Add(e.LeaveAsync(CancellationToken.None)));
                await world.Delay(5);
                Assert.All(left, task => Assert.True(task.IsCompletedSuccessfully));
                Assert.Equal(30, world.State<EscrowCounter>("c", key).Rights(world["c"].Node.Data.Id));
            });
        }
    }
}
