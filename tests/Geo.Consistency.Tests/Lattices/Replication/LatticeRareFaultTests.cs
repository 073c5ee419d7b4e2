using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>
/// Faults that random schedules hardly ever meet, or get over in another way: each comes out right, and wrong without its rule.
/// </summary>
public sealed class LatticeRareFaultTests
{
    private static readonly LatticeOptions Fast = new()
    {
        MaxFrameBytes = 1024,
        StatusInterval = TimeSpan.FromSeconds(1),
        CollectInterval = TimeSpan.FromMilliseconds(200),
    };

    [Fact]
    public void What_is_lost_without_the_link_going_down_is_sent_again_within_seconds() =>
        Needs(LatticeRule.Retry, ["a", "b"], new(), async world =>
        {
            await world.Delay(1);
            world.Network.Options.Loss = 1;
            await world.Count("a", "likes", 1);
            await world.Delay(0.3);
            world.Network.Options.Loss = 0;
            await world.Delay(3);
            return world.Contents("b").Count == 1;
        });

    [Fact]
    public void An_update_that_cannot_be_written_holds_up_no_other_grain()
    {
        var world = new LatticeWorld(1, ["a", "b"]);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Write("a", "broken", "half of a pair: \ud83d");
            await world.Count("a", "likes", 1);
            await world.Delay(1);
            Assert.Equal(1, world.State<PnCounter>("b", new("counter", "likes")).Value);
            world.Crash("b");
            world.Start("b");
            await world.Delay(2);
            Assert.Equal(1, world.State<PnCounter>("b", new("counter", "likes")).Value);
        });
        Assert.Contains(world.Errors, e => e.Contains("broken", StringComparison.Ordinal));
    }

    [Fact]
    public void An_update_that_cannot_be_written_is_removed_nowhere_by_those_that_lack_it()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"]);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Put("a", "cart", "half of a pair: \ud83d");
            await world.Delay(1);
            await world.Put("a", "cart", "milk");
            await world.Delay(1);
            world.Network.Cut(new("c"), new("a"));
            await world.Put("c", "cart", "eggs");
            await world.Delay(30);
            Assert.Equal("eggs,milk", world.Contents("b")["set/cart"]);
            Assert.Equal(3, world.State<Dotted<OrSet<string>>>("a", new("set", "cart")).Content.Count);
        });
    }

    [Fact]
    public void What_was_removed_and_forgotten_does_not_come_back_with_an_update_that_is_sent_again() =>
        Needs(LatticeRule.AbsentIsSeen, ["a", "b", "c"], Fast, async world =>
        {
            await world.Delay(1);
            world.Network.Cut(new("a"), new("b"));
            await world.Put("b", "cart", "milk");
            await world.Delay(0.5);
            Assert.Equal("milk", world.Contents("a")["set/cart"]);
            await world.Take("c", "cart", "milk");
            await world.Delay(4);
            Assert.Equal(0, world["a"].Node.Data.Cells.Count);

            // No acknowledgement of a's has reached b, which sends the addition again, with what has come to it.
            world.Network.Cut(new("b"), new("a"));
            await world.Count("b", "likes", 1);
            await world.Delay(0.5);
            world.Network.Mend(new("a"), new("b"));
            await world.Delay(0.5);
            return !world.Contents("a").ContainsKey("set/cart");
        });

    [Fact]
    public void What_was_removed_and_forgotten_before_a_cluster_began_does_not_come_to_it_with_an_update_that_is_sent_again() =>
        Needs(LatticeRule.InheritCollected, ["a", "b", "c"], Fast, async world =>
        {
            await world.Delay(1);
            world.Network.Cut(new("a"), new("b"));
            await world.Put("b", "cart", "milk");
            await world.Delay(0.5);
            await world.Take("c", "cart", "milk");
            await world.Delay(4);
            Assert.Equal(0, world["a"].Node.Data.Cells.Count);

            // b knows of d, but not that a has told it all that b has made.
            world.Clusters.Add(new("d"));
            world.Network.Cut(new("b"), new("d"));
            world.Start("d");
            await world.Delay(0.2);
            world.Network.Cut(new("d"), new("b"));
            await world.Delay(4);
            Assert.Equal(world["a"].Node.Data.Applied[world["b"].Node.Data.Id], world["d"].Node.Data.Applied[world["b"].Node.Data.Id]);
            await world.Count("b", "likes", 1);
            world.Network.Mend(new("b"), new("d"));
            await world.Delay(5);
            Assert.Contains("counter/likes", world.Contents("d").Keys);
            return !world.Contents("d").ContainsKey("set/cart");
        });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_opened_before_its_page_is_merged_loses_nothing(bool isOrdered)
    {
        var domain = isOrdered ? LatticeDomain.Ordered : LatticeDomain.Free;
        var world = new LatticeWorld(
            1, ["a", "b"], new() { MinDelay = TimeSpan.FromMilliseconds(50), MaxDelay = TimeSpan.FromMilliseconds(50) },
            Fast, domain: domain);
        world.Run(async () =>
        {
            await world.Delay(1);
            string[] keys = [.. Enumerable.Range(0, 100).Select(i => $"cart-{i:D2}")];
            foreach (var key in keys)
            {
                await world.Put("a", key, "milk");
            }

            await world.Put("a", "gone", "milk");
            await world.Delay(0.5);
            await world.Take("a", "gone", "milk");
            await world.Delay(4);
            Assert.Equal(keys.Length, world["b"].Node.Data.Cells.Count);

            world.Clusters.Add(new("c"));
            world.Start("c");
            foreach (var some in keys.Chunk(5))
            {
                // As an activation does, which keeps what it opens.
                await world.Delay(0.06);
                await world.At("c", exchange => Array.ForEach(some, key => exchange.Open<Dotted<OrSet<string>>>(new("set", key))));
            }

            await world.Delay(10);
            Assert.Equal(world.Contents("a"), world.Contents("c"));
            Assert.Equal(keys.Length, world.Contents("a").Count);
        });
    }

    [Fact]
    public void A_removal_that_came_before_its_addition_is_not_forgotten_before_the_addition_has_come() =>
        Needs(LatticeRule.CollectStable, ["a", "b", "c"], Fast, async world =>
        {
            await world.Delay(1);
            world.Network.Cut(new("a"), new("b"));
            await world.Put("a", "cart", "milk");
            await world.Delay(0.5);
            await world.Take("c", "cart", "milk");
            await world.Delay(0.9);
            world.Network.Heal();
            await world.Delay(5);
            return world.Live.All(name => world.Contents(name).Count == 0);
        });

    [Fact]
    public void A_cluster_that_was_away_drops_what_the_others_have_removed_and_forgotten() =>
        Needs(LatticeRule.Snapshot, ["a", "b", "c"], Fast, async world =>
        {
            await world.Delay(1);
            await world.Put("a", "cart", "milk");
            await world.Delay(1);
            world.Network.Isolate(new("c"));
            world.Clusters.Remove(new("c"));
            await world.Take("a", "cart", "milk");
            await world.Delay(5);
            Assert.Equal(0, world["a"].Node.Data.Cells.Count);
            Assert.Equal("milk", world.Contents("c")["set/cart"]);
            world.Clusters.Add(new("c"));
            world.Network.Heal();
            await world.Delay(20);
            return world.Live.All(name => world.Contents(name).Count == 0);
        });

    [Fact]
    public void What_two_dead_clusters_have_told_one_alone_between_two_pages_comes_to_all() =>
        Needs(LatticeRule.Adopt, ["a", "b", "d"], new() { MaxFrameBytes = 1024 }, async world =>
        {
            await world.Delay(1);
            for (var i = 0; i < 500; i++)
            {
                await world.Put("a", $"{i}", "milk");
            }

            await world.Delay(10);
            world.Clusters.Add(new("c"));
            world.Start("c");
            foreach (var (one, other) in (ReadOnlySpan<(string, string)>)[("b", "c"), ("c", "d"), ("b", "d")])
            {
                world.Network.Cut(new(one), new(other));
                world.Network.Cut(new(other), new(one));
            }

            // c asks a for all, page by page; meanwhile a has news of b that neither c nor d hears of otherwise.
            await world.Delay(0.7);
            for (var i = 0; i < 50; i++)
            {
                await world.Count("b", $"{i}", 1);
            }

            while (world["c"].Node.Data.Applied.Equals(VectorClock.Bottom))
            {
                await world.Delay(0.02);
            }

            world.Crash("a");
            world.Crash("b");
            world.Network.Heal();
            Assert.Contains(world.Contents("c"), c => c.Key.StartsWith("counter", StringComparison.Ordinal));
            await world.Delay(30);
            return world.Contents("c").SequenceEqual(world.Contents("d"));
        });

    [Fact]
    public void What_came_after_an_update_that_was_put_aside_outlives_its_source_and_who_put_it_aside() =>
        Needs(LatticeRule.TellBeyond, ["a", "b", "c"], Fast, async world =>
        {
            world.OptionsOf["b"] = new() { StatusInterval = TimeSpan.FromSeconds(1), Limits = new() { MaxBytes = 60 } };
            world.Crash("b");
            world.Start("b");
            await world.Delay(2);
            world.Network.Cut(new("a"), new("c"));
            world.Network.Cut(new("c"), new("a"));
            await world.Put("a", "cart", new string('x', 100));
            await world.Delay(0.5);
            await world.Count("a", "likes", 1);
            var cell = world["a"].Node.Data.Cells.Find(new("counter", "likes"))!;
            var known = world["a"].KnownInAsync(cell, 2, CancellationToken.None);
            await world.Delay(0.5);
            Assert.True(known.IsCompletedSuccessfully);
            Assert.Single(world["b"].Node.Data.Quarantine);
            world.Crash("a");
            await world.Delay(15);
            world.Crash("b");
            world.OptionsOf.Clear();
            world.Start("b");
            await world.Delay(10);
            return world.Live.All(name => world.Contents(name).ContainsKey("counter/likes"));
        });

    [Fact]
    public void What_came_beyond_what_was_put_aside_is_made_known_once_however_often_who_has_it_is_asked() =>
        Needs(LatticeRule.StraysAreNews, ["a", "b", "c"], Fast, async world =>
        {
            const int Counters = 10;
            world.OptionsOf["b"] = new() { StatusInterval = TimeSpan.FromSeconds(1), Limits = new() { MaxBytes = 60 } };
            world.Crash("b");
            world.Start("b");
            await world.Delay(2);
            world.Network.Cut(new("a"), new("c"));
            world.Network.Cut(new("c"), new("a"));
            await world.Put("a", "cart", new string('x', 100));
            for (var i = 0; i < Counters; i++)
            {
                // c asks b for it, which gives all that it has beyond what it lacks.
                await world.Count("a", $"{i}", 1);
                await world.Delay(6);
            }

            await world.Delay(10);
            Assert.Equal(Counters, world.Contents("c").Count);
            return world["c"].Node.Data.Last == Counters;
        });

    [Fact]
    public void What_a_state_that_stands_for_many_updates_brings_of_a_dead_cluster_comes_to_all() =>
        Needs(LatticeRule.WholeTells, ["a", "b", "c", "d"], Fast, async world =>
        {
            await world.Delay(1);
            world.Network.Cut(new("a"), new("b"));
            await world.Count("a", "other", 1);
            await world.Delay(0.3);
            for (var i = 0; i < 40; i++)
            {
                // So many in one epoch that the state of the cart stands for them.
                await world.Put("a", "cart", "milk");
                await world.Count("a", "other", 1);
            }

            await world.Delay(0.3);
            Assert.Equal("milk", world.Contents("c")["set/cart"]);
            Assert.DoesNotContain("set/cart", world.Contents("b").Keys);

            // What d adds reaches a alone, which dies when it has sent it to b, with updates that c has had without it.
            foreach (var (from, to) in (ReadOnlySpan<(string, string)>)[("d", "b"), ("d", "c"), ("a", "c")])
            {
                world.Network.Cut(new(from), new(to));
            }

            await world.Put("d", "cart", "eggs");
            await world.Delay(0.3);
            Assert.Equal("eggs,milk", world.Contents("a")["set/cart"]);
            world.Crash("d");
            world.Network.Mend(new("a"), new("b"));
            for (var i = 0; i < 500 && !world.Contents("b").ContainsKey("set/cart"); i++)
            {
                await world.Delay(0.01);
            }

            world.Crash("a");
            Assert.Equal("eggs,milk", world.Contents("b")["set/cart"]);
            world.Network.Heal();
            await world.Delay(30);
            return world.Contents("b").SequenceEqual(world.Contents("c"));
        });

    [Fact]
    public void Of_two_clusters_that_are_down_the_loss_of_what_one_is_asked_does_not_have_the_other_asked_ever_more_often()
    {
        Assert.InRange(Sent(null), 1, 100);
        Assert.InRange(Sent(LatticeRule.AskSeldom), 1000, long.MaxValue);

        // Two parts that b has with a, and two with c: all of a silo's replicas hear of each link that goes down.
        static long Sent(LatticeRule? off)
        {
            LatticeRules.SwitchOff(off);
            try
            {
                var world = new LatticeWorld(
                    1, ["a", "b", "c"], new() { MinDelay = TimeSpan.FromMilliseconds(50), MaxDelay = TimeSpan.FromMilliseconds(50) },
                    Fast, replicas: 2);
                return world.Scheduler.Run(async () =>
                {
                    await world.Delay(3);
                    var held = Enumerable.Range(0, 100).Select(i => new GrainKey("counter", $"{i}"))
                        .Where(g => world.IsHeldIn("b", g)).DistinctBy(LatticeGroup.PartOf).ToLookup(g => world.IsHeldIn("a", g));
                    foreach (var grain in held[true].Take(2).Concat(held[false].Take(2)))
                    {
                        await world.Count("b", grain.Key, 1);
                    }

                    world.Crash("a");
                    world.Crash("c");
                    var before = world.Network.Counts.Sent;
                    await world.Delay(1);
                    return (long)world.Network.Counts.Sent - before;
                });
            }
            finally
            {
                LatticeRules.SwitchOff(null);
            }
        }
    }

    private static void Needs(LatticeRule rule, string[] clusters, LatticeOptions options, Func<LatticeWorld, Task<bool>> scenario)
    {
        Assert.True(Run(null));
        Assert.False(Run(rule));

        bool Run(LatticeRule? off)
        {
            LatticeRules.SwitchOff(off);
            try
            {
                var world = new LatticeWorld(
                    1, clusters, new() { MinDelay = TimeSpan.FromMilliseconds(50), MaxDelay = TimeSpan.FromMilliseconds(50) }, options);
                return world.Scheduler.Run(() => scenario(world));
            }
            finally
            {
                LatticeRules.SwitchOff(null);
            }
        }
    }
}
