using Geo.Consistency.Lattices;
using Geo.Testing;
using Item = Geo.Consistency.Lattices.Pair<
    Geo.Consistency.Lattices.Dotted<Geo.Consistency.Lattices.OrSet<long>>, Geo.Consistency.Lattices.LwwRegister<long>>;

namespace Geo.Consistency.Tests.Lattices.Levels;

/// <summary>Rules of the levels that random sessions hardly need, each with the rule and without.</summary>
public sealed class LevelTests
{
    [Theory]
    [InlineData(null, true)]
    [InlineData(nameof(LatticeRule.ClosedSets), false)]
    public void Updates_that_follow_each_other_in_a_circle_are_shown_after_a_cut_at_once(string? off, bool areShown) => With(off, () =>
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        var shown = false;
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Isolate(new("c"));
            for (var turn = 0; turn < 3; turn++)
            {
                foreach (var name in world.Clusters.Select(c => c.Name).Where(c => c != "c"))
                {
                    var session = world.Open(name, ConsistencyLevel.Causal);
                    await world.ReadAsync(name, session, $"{name}{turn}", "x");
                    await world.WriteAsync(name, session, $"{name}{turn}", "x");
                    await world.Delay(0.5);
                }
            }

            world.Network.Heal();

            // Less than it takes until what does not come by itself is asked for.
            await world.Delay(0.5);
            shown = (await world.ReadAsync("c", world.Open("c", ConsistencyLevel.Causal), "reader", "x")).Seen.Count == 6;
        });
        Assert.Equal(areShown, shown);
    });

    [Theory]
    [InlineData(null, HistoryOutcome.Holds)]
    [InlineData(nameof(LatticeRule.AtomicPages), HistoryOutcome.Violated)]
    public void A_replica_that_begins_shows_no_update_before_those_that_it_follows(string? off, HistoryOutcome outcome) => With(off, () =>
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b"], Steady(100), new() { MaxFrameBytes = 1024 });
        world.Run(async () =>
        {
            await world.Delay(2);
            var keys = Enumerable.Range(0, 400).Select(i => $"{i}")
                .OrderBy(k => LatticeCells.BucketOf(new(LevelWorld.Class, k))).ToArray();
            var writer = world.Open("a", ConsistencyLevel.Causal);
            foreach (var key in keys)
            {
                await world.WriteAsync("a", writer, "writer", key);
            }

            await world.Delay(20);
            world.Crash("b");
            world.Start("b");
            for (var round = 0; round < 60; round++)
            {
                // What comes early, then what follows it and comes late.
                await world.WriteAsync("a", writer, "writer", keys[round]);
                await world.WriteAsync("a", writer, "writer", keys[^(round + 1)]);
                await world.Delay(0.1);
                var reader = world.Open("b", ConsistencyLevel.Causal);
                foreach (var key in keys.Reverse().Take(round + 1).Concat(keys.Take(round + 1)))
                {
                    await world.ReadAsync("b", reader, $"reader {round}", key);
                }
            }
        });
        Assert.Equal(outcome, LevelChecker.Check(world.History, ConsistencyLevel.Causal).Outcome);
    });

    [Theory]
    [InlineData(null, HistoryOutcome.Holds)]
    [InlineData(nameof(LatticeRule.WholeFollows), HistoryOutcome.Violated)]
    public void A_state_that_stands_for_many_updates_shows_no_update_of_others_before_those_that_it_follows(
        string? off, HistoryOutcome outcome) => With(off, () =>
    {
        var world = new LevelWorld(1, ConsistencyLevel.MonotonicWrites, ["a", "b", "c"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Cut(new("b"), new("c"));
            var (writer, other) = (Open("b"), Open("a"));
            await world.WriteAsync("b", writer, "writer", "x");
            await world.WriteAsync("b", writer, "writer", "y");
            await world.WriteAsync("a", other, "other", "z");
            await world.Delay(0.3);
            await world.Burst("a", other, "y");
            await world.Delay(0.3);
            await world.ReadAsync("c", Open("c"), "reader", "y");
            await world.ReadAsync("c", Open("c"), "reader", "x");
            await world.Delay(5);
            Assert.Single((await world.ReadAsync("c", Open("c"), "reader", "y")).Seen);

            ILatticeSession Open(string name) => world.Open(name, ConsistencyLevel.MonotonicWrites);
        });
        Assert.Equal(outcome, LevelChecker.Check(world.History, ConsistencyLevel.MonotonicWrites).Outcome);
    });

    [Fact]
    public void A_transaction_that_has_read_what_a_clock_far_ahead_wrote_comes_after_it()
    {
        var world = new LevelWorld(
            1, ConsistencyLevel.ReadCommitted, ["a", "b"], Steady(20), clockOf: c => TimeSpan.FromHours(c == "a" ? 1 : 0));
        world.Run(async () =>
        {
            await world.Delay(1);
            var (one, other) = (world.Open("a", ConsistencyLevel.ReadCommitted), world.Open("b", ConsistencyLevel.ReadCommitted));
            one.Begin();
            await world.WriteAsync("a", one, "one", "y", 1);
            await world.WriteAsync("a", one, "one", "x", 1);
            await world.Commit("a", one, 1);
            await world.Delay(1);
            other.Begin();
            Assert.Single((await world.ReadAsync("b", other, "other", "y", 2)).Seen);
            var last = await world.WriteAsync("b", other, "other", "z", 2);
            await world.WriteAsync("b", other, "other", "x", 2);
            Assert.Equal(last + 1, (await world.ReadAsync("b", other, "other", "x", 2)).Winner);
            await world.Commit("b", other, 2);
            await world.Delay(1);
            foreach (var name in world.Live)
            {
                Assert.Equal(last + 1, (await world.ReadAsync(name, world.Open(name, ConsistencyLevel.SimpleEventual), name, "x")).Winner);
            }
        });
        Assert.Equal(HistoryOutcome.Holds, LevelChecker.Check(world.History, ConsistencyLevel.ReadCommitted).Outcome);
    }

    [Fact]
    public void A_transaction_that_writes_unread_over_what_a_clock_far_ahead_wrote_comes_after_it_or_is_refused()
    {
        var world = new LevelWorld(
            1, ConsistencyLevel.ReadCommitted, ["a", "b"], Steady(20), clockOf: c => TimeSpan.FromHours(c == "a" ? 1 : 0));
        world.Run(async () =>
        {
            await world.Delay(2);
            await world.WriteAsync("a", world.Open("a", ConsistencyLevel.ReadUncommitted), "a", "x");
            await world.Delay(1);
            var session = world.Open("b", ConsistencyLevel.ReadCommitted);
            session.Begin();
            await world.WriteAsync("b", session, "s", "y", 1);
            await world.WriteAsync("b", session, "s", "x", 1);
            var update = await world.WriteAsync("b", session, "s", "x", 1);
            await world.Commit("b", session, 1);
            Assert.Equal(update, (await world.ReadAsync("b", session, "reader", "x")).Winner);

            var uncommitted = world.Open("b", ConsistencyLevel.ReadUncommitted);
            uncommitted.Begin();
            await world.WriteAsync("b", uncommitted, "u", "z", 2);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.WriteAsync("b", uncommitted, "u", "x", 2));
            await world.Commit("b", uncommitted, 2);

            uncommitted.Begin();
            await world.WriteAsync("b", uncommitted, "u", "x", 3);
            update = await world.WriteAsync("b", uncommitted, "u", "x", 3);
            await world.Commit("b", uncommitted, 3);
            Assert.Equal(update, (await world.ReadAsync("b", session, "reader", "x")).Winner);
        });
    }

    [Fact]
    public void An_update_that_waits_for_what_it_follows_outlives_its_source()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Cut(new("b"), new("c"));
            world.Network.Cut(new("a"), new("b"));
            await world.WriteAsync("b", world.Open("b", ConsistencyLevel.Causal), "s", "x");
            await world.Delay(0.3);
            var session = world.Open("a", ConsistencyLevel.Causal);
            Assert.Single((await world.ReadAsync("a", session, "t", "x")).Seen);
            var update = await world.WriteAsync("a", session, "t", "y");
            await world.Delay(0.3);

            // c has y, and waits for x.
            world.Crash("a");
            world.Start("a");
            await world.Delay(0.5);
            world.Network.Heal();
            await world.Delay(20);
            foreach (var name in world.Live)
            {
                Assert.Equal([update], (await world.ReadAsync(name, world.Open(name, ConsistencyLevel.Causal), name, "y")).Seen);
            }
        });
        Assert.Equal(HistoryOutcome.Holds, LevelChecker.Check(world.History, ConsistencyLevel.Causal).Outcome);
    }

    [Fact]
    public void A_later_write_of_a_session_wins_though_the_clock_there_is_behind() =>
        Assert.Equal(2, LastOf(ConsistencyLevel.MonotonicWrites));

    [Fact]
    public void Without_a_level_it_is_lost() => Assert.Equal(1, LastOf(ConsistencyLevel.SimpleEventual));

    [Fact]
    public void A_transaction_reads_its_own_writes_and_nobody_else_does_before_the_commit()
    {
        var world = new LevelWorld(1, ConsistencyLevel.ReadCommitted, ["a"]);
        world.Run(async () =>
        {
            var (one, other) = (world.Open("a", ConsistencyLevel.ReadCommitted), world.Open("a", ConsistencyLevel.ReadCommitted));
            one.Begin();
            await world.WriteAsync("a", one, "one", "x", 1);
            var last = await world.WriteAsync("a", one, "one", "x", 1);
            Assert.Equal((last, 2), await SeenAsync(one));
            Assert.Equal((0, 0), await SeenAsync(other));
            await world.Commit("a", one, 1);
            Assert.Equal((last, 2), await SeenAsync(other));
            Assert.Throws<InvalidOperationException>(one.Commit);

            async Task<(long Winner, int Count)> SeenAsync(ILatticeSession session)
            {
                var (winner, seen) = await world.ReadAsync("a", session, "reader", "x");
                return (winner, seen.Count);
            }
        });
    }

    [Fact]
    public void What_follows_an_update_that_was_lost_ends_unavailable_and_a_new_session_goes_on()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Isolate(new("a"));
            var session = world.Open("a", ConsistencyLevel.Causal);
            await world.WriteAsync("a", session, "s", "x");
            var token = session.Token;
            world.Crash("a");
            world.Network.Heal();
            world.Start("a");
            var gone = world.Open("b", ConsistencyLevel.Causal, token);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("b", gone, "s", "x"));
            await world.ReadAsync("b", world.Open("b", ConsistencyLevel.Causal), "s", "x");
        });
    }

    [Fact]
    public void An_update_of_a_grain_without_a_session_follows_what_the_grain_showed()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Cut(new("b"), new("c"));
            await world.WriteAsync("b", world.Open("b", ConsistencyLevel.Causal), "s", "x");
            await world.Delay(0.5);
            await world.At("a", () =>
            {
                using var handle = world["a"].Open<Item>(new(LevelWorld.Class, "x"));
                handle.Update((s, o) => new Item(s.First.Content.Add(o.NextDot(), 1000), LwwRegister<long>.Bottom));
                return Task.FromResult(true);
            });
            for (var turn = 0; turn < 100; turn++)
            {
                var (_, seen) = await world.ReadAsync("c", world.Open("c", ConsistencyLevel.Causal), $"r{turn}", "x");
                Assert.True(seen.Count != 1, "What follows is shown alone.");
                await world.Delay(0.02);
            }
        });
    }

    [Fact]
    public void A_token_names_as_many_replicas_as_live()
    {
        string[] names = [.. Enumerable.Range(1, 40).Select(i => $"c{i}")];
        var world = new LevelWorld(1, ConsistencyLevel.Causal, names, Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            foreach (var name in names)
            {
                await world.WriteAsync(name, world.Open(name, ConsistencyLevel.Causal), name, "x");
            }

            await world.Delay(2);
            var session = world.Open("c1", ConsistencyLevel.Causal);
            Assert.Equal(40, (await world.ReadAsync("c1", session, "s", "x")).Seen.Count);
            var token = SessionToken.Parse(session.Token.ToString());
            Assert.Equal(40, (await world.ReadAsync("c2", world.Open("c2", ConsistencyLevel.Causal, token), "s", "x")).Seen.Count);
        });
    }

    [Fact]
    public void A_commit_that_is_tried_again_comes_after_what_was_committed_since()
    {
        var world = new LevelWorld(1, ConsistencyLevel.ReadCommitted, ["a"]);
        world.Run(async () =>
        {
            var (one, other) = (world.Open("a", ConsistencyLevel.ReadCommitted), world.Open("a", ConsistencyLevel.ReadCommitted));
            var fails = true;
            one.Begin();
            var first = await world.WriteAsync("a", one, "one", "x", 1);
            await one.UpdateAsync(new(LevelWorld.Class, "y"), (Item _, LatticeOrigin _) => fails
                ? throw new InvalidOperationException()
                : new Item(Dotted<OrSet<long>>.Bottom, LwwRegister<long>.Bottom));
            Assert.Throws<InvalidOperationException>(one.Commit);
            await world.WriteAsync("a", other, "other", "x");
            fails = false;
            await world.Commit("a", one, 1);
            Assert.Equal(first, (await world.ReadAsync("a", other, "reader", "x")).Winner);
        });
    }

    [Fact]
    public void A_replica_that_has_no_room_for_what_it_asks_for_asks_more_and_more_seldom()
    {
        var world = new LevelWorld(
            1, ConsistencyLevel.Causal, ["a", "b"], Steady(20), new() { MaxFrameBytes = 1024, MaxHeldBytes = 3000 });
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Crash("b");
            var session = world.Open("a", ConsistencyLevel.Causal);
            for (var i = 0; i < 400; i++)
            {
                await world.WriteAsync("a", session, "s", $"{i}");
            }

            world.Start("b");
            await world.Delay(60);
            var before = world.Network.Counts.Sent;
            await world.Delay(600);
            Assert.InRange(world.Network.Counts.Sent - before, 0, 400);
        });
    }

    private static long LastOf(ConsistencyLevel level)
    {
        var world = new LevelWorld(1, level, ["a", "b"], Steady(20), clockOf: c => TimeSpan.FromSeconds(c == "a" ? 10 : 0));
        var winner = 0L;
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Isolate(new("a"));
            var session = world.Open("a", level);
            await world.WriteAsync("a", session, "s", "x");
            world.Network.Heal();
            await world.WriteAsync("b", world.Open("b", level, session.Token), "s", "x");
            await world.Delay(20);
            (winner, _) = await world.ReadAsync("a", world.Open("a", level), "reader", "x");
        });
        return winner;
    }

    private static void With(string? off, Action test)
    {
        LatticeRules.SwitchOff(off is null ? null : Enum.Parse<LatticeRule>(off));
        try
        {
            test();
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }
    }

    private static SimulatedNetworkOptions Steady(int milliseconds) =>
        new() { MinDelay = TimeSpan.FromMilliseconds(milliseconds), MaxDelay = TimeSpan.FromMilliseconds(milliseconds) };
}
