using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Clusters that take a replica of what is called much there, and give it up again.</summary>
public sealed class LatticeHeatTests
{
    private static readonly string[] Clusters = ["a", "b", "c"];

    // Hot by the third call within three seconds.
    private static readonly LatticeOptions Options = new()
    {
        HotRate = 1,
        HotFor = TimeSpan.FromSeconds(4),
        StatusInterval = TimeSpan.FromSeconds(1),
        CollectInterval = TimeSpan.FromMilliseconds(200),
    };

    [Fact]
    public void A_sketch_keeps_the_grains_that_are_called_most_in_bounded_room_and_counts_no_call_too_many()
    {
        var (sketch, random, made) = (new CallSketch(16), new Random(1), new Dictionary<GrainKey, long>());
        for (var i = 0; i < 20_000; i++)
        {
            var grain = new GrainKey("counter", random.Next(3) == 0 ? "hot" : $"{random.Next(1000)}");
            made[grain] = made.GetValueOrDefault(grain) + 1;
            Assert.InRange(sketch.Add(grain), 1, made[grain]);
            Assert.InRange(sketch.Grains, 1, 16);
        }

        // It has not lost the hot one: of a third of all calls most are known.
        var hot = new GrainKey("counter", "hot");
        Assert.InRange(sketch.Add(hot), made[hot] / 2, made[hot] + 1);
    }

    [Fact]
    public void A_part_is_hot_from_a_rate_on_and_while_there_is_a_quarter_of_it()
    {
        var (parts, grain) = (new HotParts(10, TimeSpan.FromSeconds(60)), new GrainKey("counter", "a"));
        var part = LatticeGroup.Of(grain, 1);
        Assert.False(Calls(29, at: 0));
        Assert.False(Calls(29, at: 3));
        Assert.True(Calls(30, at: 6));
        Assert.False(Calls(30, at: 9));

        // Many grains that are called little make nothing hot.
        for (var i = 0; i < 1000; i++)
        {
            var other = new GrainKey("counter", $"{i}");
            Assert.False(LatticeGroup.Of(other, 1) != part && parts.Note(other, LatticeGroup.Of(other, 1), TimeSpan.FromSeconds(12)));
        }

        Assert.False(Calls(8, at: 60));
        Assert.Empty(parts.TakeCool(TimeSpan.FromSeconds(119)));
        Assert.False(Calls(7, at: 65));
        Assert.Equal([part], parts.TakeCool(TimeSpan.FromSeconds(120)));
        Assert.Empty(parts.TakeCool(TimeSpan.FromSeconds(999)));

        bool Calls(int count, int at)
        {
            var hasBecomeHot = false;
            for (var i = 0; i < count; i++)
            {
                hasBecomeHot |= parts.Note(grain, part, TimeSpan.FromSeconds(at));
            }

            return hasBecomeHot;
        }
    }

    [Fact]
    public void A_cluster_that_calls_much_serves_its_calls_itself_also_while_it_is_cut_off_and_gives_all_back()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world);
            var atHolder = await world.Count("a", grain.Key, 1);
            await world.Count("a", grain.Key, 1);
            await world.Delay(1);
            Assert.False(world.IsHeldIn("a", grain));
            await world.Count("a", grain.Key, 1);
            await world.Delay(1);
            Assert.True(world.IsHeldIn("a", grain));
            Assert.Equal(3, world.State<PnCounter>("a", grain).Value);
            Assert.Equal(1, world.Exchanges("a").Count(e => e.IsVisiting));
            Assert.DoesNotContain(world.Exchanges("a"), e => e.IsMoving);
            world.Network.Isolate(new("a"));
            Assert.NotEqual(atHolder, await world.Count("a", grain.Key, 1));
            await world.Count(holder, grain.Key, 1);
            Assert.Equal(4, world.State<PnCounter>("a", grain).Value);
            world.Network.Heal();
            await world.Delay(1);
            Assert.Equal((5, 5), (world.State<PnCounter>("a", grain).Value, world.State<PnCounter>(holder, grain).Value));

            // As long as it is called.
            for (var i = 0; i < 20; i++)
            {
                await world.Delay(1.5);
                await world.Count("a", grain.Key, 1);
                Assert.True(world.IsHeldIn("a", grain));
            }

            await world.Delay(15);
            Assert.False(world.IsHeldIn("a", grain));
            Assert.Equal((25, 25), (world.State<PnCounter>("a", grain).Value, world.State<PnCounter>(holder, grain).Value));
            Assert.Equal(0, world.Exchanges("a").Count(e => e.IsVisiting));
        });
    }

    [Fact]
    public void What_was_removed_meanwhile_does_not_come_back_with_the_next_time()
    {
        var world = NewWorld();
        world.Run(async () =>
        {
            await world.Delay(5);
            var (grain, holder) = Elsewhere(world, "set");
            for (var i = 0; i < 4; i++)
            {
                await world.Put("a", grain.Key, "eggs");
            }

            await world.Delay(1);
            Assert.True(world.IsHeldIn("a", grain));
            await world.Put("a", grain.Key, "milk");
            await world.Delay(15);
            Assert.Equal("eggs,milk", world.Contents(holder)[$"{grain}"]);
            await world.Take(holder, grain.Key, "eggs");
            await world.Take(holder, grain.Key, "milk");
            await world.Delay(20);
            Assert.Empty(world.Contents(holder));
            for (var i = 0; i < 4; i++)
            {
                await world.Put("a", grain.Key, "bread");
            }

            await world.Delay(1);
            Assert.True(world.IsHeldIn("a", grain));
            Assert.Equal(("bread", "bread"), (world.Contents("a")[$"{grain}"], world.Contents(holder)[$"{grain}"]));
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Neither_stored_states_nor_rights_to_a_bounded_counter_are_taken_for_a_while(bool isStored)
    {
        var world = new LatticeWorld(1, Clusters, Network(), Options, isStored, replicas: 1, hasStock: true);
        world.Run(async () =>
        {
            await world.Delay(5);
            var grain = Elsewhere(world, isStored ? "counter" : "stock").Grain;
            for (var i = 0; i < 20; i++)
            {
                await (isStored ? world.Count("a", grain.Key, 1) : world.Stock("a", grain.Key, 1));
            }

            await world.Delay(1);
            Assert.False(world.IsHeldIn("a", grain));
            Assert.Empty(world.Contents("a"));
        });
    }

    [Fact]
    public void Under_random_faults_nothing_is_lost_by_replicas_that_come_and_go()
    {
        var atGuests = 0;

        // A seed takes half a second: each part of the class is replicated for itself. Searches run more of them (simulate --lattices).
        foreach (var seed in SimulationSeed.FromEnvironment(15))
        {
            var violation = Run(seed.Value);
            Assert.True(violation is null, $"seed {seed}: {violation}");
        }

        Assert.True(atGuests > 150, $"{atGuests} updates were made at guests");
        LatticeRules.SwitchOff(LatticeRule.GuestHandsOver);
        try
        {
            Assert.Contains(Enumerable.Range(1, 30), seed => Run(seed) is not null);
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }

        string? Run(int seed)
        {
            var schedule = new LatticeSchedule(seed, replicas: 2, isHot: true);
            var violation = schedule.Run();
            atGuests += schedule.UpdatesAtGuests;
            return violation;
        }
    }

    private static LatticeWorld NewWorld() => new(1, Clusters, Network(), Options, replicas: 1);

    private static SimulatedNetworkOptions Network() =>
        new() { MinDelay = TimeSpan.FromMilliseconds(50), MaxDelay = TimeSpan.FromMilliseconds(50) };

    /// <summary>A grain that b or c has a replica of, and a has not.</summary>
    private static (GrainKey Grain, string Holder) Elsewhere(LatticeWorld world, string type = "counter")
    {
        var grain = Enumerable.Range(0, 100).Select(i => new GrainKey(type, $"{i}")).First(g => !world.IsHeldIn("a", g));
        return (grain, world.ServerOf("a", grain));
    }
}
