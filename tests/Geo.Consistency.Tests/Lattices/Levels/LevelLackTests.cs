using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Levels;

/// <summary>
/// Replicas that begin, and replicas that lack updates which they, or who was asked for them, have put aside: what sessions see there.
/// </summary>
public sealed class LevelLackTests
{
    [Fact]
    public void A_session_waits_at_a_replica_that_has_begun_anew_for_what_the_old_one_had()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            var session = world.Open("a", ConsistencyLevel.Causal);
            var update = await world.WriteAsync("a", session, "s", "x");
            await world.Delay(20);
            var token = SessionToken.Parse(session.Token.ToString());
            world.Crash("b");
            world.Start("b");
            var (_, seen) = await world.ReadAsync("b", world.Open("b", ConsistencyLevel.Causal, token, wait: 10), "s", "x");
            Assert.Equal([update], seen);
        });
    }

    [Fact]
    public void The_same_where_who_made_it_is_gone_and_nobody_names_it_any_more()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            var update = await world.WriteAsync("a", world.Open("a", ConsistencyLevel.Causal), "s", "x");
            await world.Delay(20);
            world.Crash("a");
            world.Start("a");
            await world.Delay(40);
            var session = world.Open("c", ConsistencyLevel.Causal);
            await world.ReadAsync("c", session, "r", "x");
            var token = session.Token;
            world.Crash("b");
            world.Start("b");
            var (_, seen) = await world.ReadAsync("b", world.Open("b", ConsistencyLevel.Causal, token, wait: 10), "r", "x");
            Assert.Equal([update], seen);
        });
    }

    [Fact]
    public void Who_begins_together_with_another_one_serves_no_session_before_it_has_what_the_others_had()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            var update = await world.WriteAsync("a", world.Open("a", ConsistencyLevel.Causal), "s", "x");
            await world.Delay(20);
            world.Crash("a");
            world.Start("a");
            await world.Delay(40);
            var session = world.Open("c", ConsistencyLevel.Causal);
            await world.ReadAsync("c", session, "r", "x");
            world.Network.Isolate(new("c"));
            world.Crash("a");
            world.Crash("b");
            world.Start("a");
            world.Start("b");
            await world.Delay(2);
            var read = world.ReadAsync("b", world.Open("b", ConsistencyLevel.Causal, session.Token, wait: 30), "r", "x");
            await world.Delay(2);
            world.Network.Heal();
            Assert.Equal([update], (await read).Seen);
        });
    }

    [Fact]
    public void Nor_does_it_wait_for_what_one_told_that_has_died()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c", "d"], Steady(50), new() { MaxFrameBytes = 1024 });
        world.Run(async () =>
        {
            await world.Delay(2);
            var update = await world.WriteAsync("a", world.Open("a", ConsistencyLevel.Causal), "s", "x");
            await world.Delay(20);
            world.Crash("a");
            world.Start("a");
            await world.Delay(40);
            var session = world.Open("c", ConsistencyLevel.Causal);
            await world.ReadAsync("c", session, "r", "x");
            world.Crash("b");
            foreach (var name in (string[])["a", "c"])
            {
                world.Network.Cut(new("d"), new(name));
                world.Network.Cut(new(name), new("d"));
            }

            var writer = world.Open("d", ConsistencyLevel.Causal);
            for (var i = 0; i < 100; i++)
            {
                await world.WriteAsync("d", writer, "d", $"{i}");
            }

            // d tells b that it has more than a frame holds, and dies before it is asked.
            world.Start("b");
            await world.Delay(0.12);
            world.Crash("d");
            var moved = world.Open("b", ConsistencyLevel.Causal, session.Token, wait: 20);
            Assert.Equal([update], (await world.ReadAsync("b", moved, "r", "x")).Seen);
            Assert.Contains(world["b"][LatticeDomain.Ordered]!.Node.Peers.All, p => p.Ahead is not null);
        });
    }

    [Theory]
    [InlineData(null, true)]
    [InlineData(nameof(LatticeRule.SettledAmongAll), false)]
    public void What_a_replica_had_that_has_begun_anew_since_is_not_left_out_of_a_token(string? off, bool isNamed) => With(off, () =>
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "p", "r", "s"], Steady(20));
        world.Run(async () =>
        {
            await world.Delay(2);
            foreach (var name in (string[])["a", "r", "s"])
            {
                Part("p", name);
            }

            // a and r have it, and know that of each other; then s is gone for good, and r begins anew with p, which lacks it.
            var update = await world.WriteAsync("s", world.Open("s", ConsistencyLevel.Causal), "s", "x");
            await world.Delay(20);
            Part("a", "r");
            world.Crash("s");
            world.Clusters.Remove(new("s"));
            world.Crash("r");
            world.Network.Mend(new("p"), new("r"));
            world.Start("r");
            await world.Delay(2);
            Part("p", "r");
            world.Network.Mend(new("a"), new("p"));
            await world.Delay(20);
            var session = world.Open("a", ConsistencyLevel.Causal);
            Assert.Equal([update], (await world.ReadAsync("a", session, "t", "x")).Seen);
            Assert.Equal([update], (await world.ReadAsync("p", world.Open("p", ConsistencyLevel.Causal), "u", "x")).Seen);
            var moved = world.Open("r", ConsistencyLevel.Causal, session.Token);
            if (isNamed)
            {
                await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("r", moved, "t", "x"));
            }
            else
            {
                Assert.Empty((await world.ReadAsync("r", moved, "t", "x")).Seen);
            }

            void Part(string one, string other)
            {
                world.Network.Cut(new(one), new(other));
                world.Network.Cut(new(other), new(one));
            }
        });
    });

    [Fact]
    public void A_session_that_has_left_nothing_out_is_served_though_a_cluster_has_never_been_there()
    {
        var world = new LevelWorld(1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20));
        world.Crash("c");
        world.Run(async () =>
        {
            await world.Delay(2);
            var session = world.Open("a", ConsistencyLevel.Causal);
            var update = await world.WriteAsync("a", session, "s", "x");
            await world.Delay(1);
            var moved = world.Open("b", ConsistencyLevel.Causal, session.Token);
            Assert.Equal([update], (await world.ReadAsync("b", moved, "s", "x")).Seen);
        });
    }

    [Fact]
    public void A_session_does_not_read_a_grain_of_which_an_update_was_put_aside()
    {
        var world = new LevelWorld(
            1, ConsistencyLevel.ReadYourWrites, ["a", "b"], Steady(20), new() { Limits = new LatticeLimits { MaxBytes = 8 } });
        world.Run(async () =>
        {
            await world.Delay(2);
            var session = world.Open("a", ConsistencyLevel.ReadYourWrites);
            await world.WriteAsync("a", session, "s", "x");
            await world.Delay(5);
            var moved = world.Open("b", ConsistencyLevel.ReadYourWrites, session.Token);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("b", moved, "s", "x"));
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.WriteAsync("b", moved, "s", "x"));
        });
    }

    [Fact]
    public void Nor_where_more_were_put_aside_than_are_remembered()
    {
        var world = new LevelWorld(
            1, ConsistencyLevel.ReadYourWrites, ["a", "b"], Steady(20),
            new() { Limits = new LatticeLimits { MaxBytes = 8 }, MaxQuarantined = 1 });
        world.Run(async () =>
        {
            await world.Delay(2);
            var session = world.Open("a", ConsistencyLevel.ReadYourWrites);
            foreach (var key in "xyz".Select(static c => $"{c}"))
            {
                await world.WriteAsync("a", session, "s", key);
            }

            await world.Delay(5);
            foreach (var key in "xyz".Select(static c => $"{c}"))
            {
                var moved = world.Open("b", ConsistencyLevel.ReadYourWrites, session.Token);
                await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("b", moved, "s", key));
            }
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_cannot_give_what_its_updates_follow_is_not_asked_again_and_again(bool writes)
    {
        using var pulls = new PullCount();
        var world = new LevelWorld(
            1, ConsistencyLevel.Causal, ["a", "b", "c"], Steady(20), new() { Limits = new LatticeLimits { MaxBytes = 100 } });
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Cut(new("b"), new("c"));
            var (at, session) = (world.Open("b", ConsistencyLevel.Causal), world.Open("a", ConsistencyLevel.Causal));
            await world.WriteAsync("b", at, "b", "z");
            for (var i = 0; i < 40; i++)
            {
                await world.WriteAsync("b", at, "b", "x");
            }

            await world.Delay(0.5);
            Assert.Single((await world.ReadAsync("a", session, "a", "z")).Seen);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("a", session, "a", "x"));
            await world.WriteAsync("a", session, "a", "w");
            await world.Delay(3);
            var (sent, asked) = (world.Network.Counts.Sent, pulls.Value);
            for (var i = 0; i < 100; i++)
            {
                await world.Delay(0.2);
                if (writes)
                {
                    await world.WriteAsync("a", session, "a", $"w{i}");
                }
            }

            Assert.InRange(writes ? pulls.Value - asked : world.Network.Counts.Sent - sent, 0, 20);
        });
    }

    [Theory]
    [InlineData(null, HistoryOutcome.Holds)]
    [InlineData(nameof(LatticeRule.PagesTellHoles), HistoryOutcome.Violated)]
    public void Who_begins_and_asks_one_that_lacks_an_update_shows_none_that_follows_it_without_saying_so(
        string? off, HistoryOutcome outcome) =>
        With(off, () =>
        {
            var world = new LevelWorld(1, ConsistencyLevel.MonotonicWrites, ["a", "b", "c"], Steady(20));
            world.OptionsOf["b"] = new() { Limits = new LatticeLimits { MaxBytes = 100 } };
            world.Crash("b");
            world.Crash("c");
            world.Start("b");
            world.Run(async () =>
            {
                await world.Delay(2);
                var session = Open("a");
                for (var i = 0; i < 40; i++)
                {
                    await world.WriteAsync("a", session, "s", "x");
                }

                await world.Delay(0.5);
                await world.WriteAsync("a", session, "s", "y");
                await world.Delay(0.5);
                var moved = world.Open("b", ConsistencyLevel.MonotonicWrites, session.Token);
                world.Crash("a");
                await world.WriteAsync("b", world.Open("b", ConsistencyLevel.MonotonicWrites), "t", "z");
                await world.Delay(1);
                world.Start("c");
                await world.Delay(20);
                await world.ReadAsync("c", Open("c"), "reader", "y");
                var isRefused = false;
                try
                {
                    await world.ReadAsync("c", Open("c"), "reader", "x");
                }
                catch (GeoUnavailableException)
                {
                    isRefused = true;
                }

                Assert.Equal(off is null, isRefused);

                // What b makes from now on follows what a made. It comes as soon as it is sent; otherwise it is asked for, each time.
                await world.WriteAsync("b", moved, "s", "w");
                await world.Delay(0.5);
                Assert.Equal(off is null ? 1 : 0, (await world.ReadAsync("c", Open("c"), "reader", "w")).Seen.Count);

                ILatticeSession Open(string name) => world.Open(name, ConsistencyLevel.MonotonicWrites);
            });
            Assert.Equal(outcome, LevelChecker.Check(world.History, ConsistencyLevel.MonotonicWrites).Outcome);
        });

    [Theory]
    [InlineData(null, true)]
    [InlineData(nameof(LatticeRule.Heal), false)]
    public void What_one_that_was_asked_lacked_comes_once_another_one_that_has_it_is_reached(string? off, bool comes) => With(off, () =>
    {
        var world = new LevelWorld(1, ConsistencyLevel.MonotonicWrites, ["a", "b", "c"], Steady(20));
        world.OptionsOf["b"] = new() { Limits = new LatticeLimits { MaxBytes = 100 } };
        world.Crash("b");
        world.Start("b");
        world.Run(async () =>
        {
            await world.Delay(2);
            world.Network.Cut(new("a"), new("c"));
            world.Network.Cut(new("c"), new("a"));
            var session = world.Open("a", ConsistencyLevel.MonotonicWrites);
            for (var i = 0; i < 40; i++)
            {
                await world.WriteAsync("a", session, "s", "x");
            }

            await world.Delay(0.5);
            await world.WriteAsync("a", session, "s", "y");
            await world.Delay(20);
            Assert.Single((await world.ReadAsync("c", Open(), "r", "y")).Seen);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(), "r", "x"));
            world.Network.Heal();
            await world.Delay(20);
            if (comes)
            {
                Assert.Equal(40, (await world.ReadAsync("c", Open(), "r", "x")).Seen.Count);
                Assert.True(Vouched("c").Equals(Vouched("a")));
            }
            else
            {
                await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(), "r", "x"));
            }

            var before = world.Network.Counts.Sent;
            await world.Delay(100);
            Assert.InRange(world.Network.Counts.Sent - before, 0, 20);

            ILatticeSession Open() => world.Open("c", ConsistencyLevel.MonotonicWrites);

            VectorClock Vouched(string name) => world[name][LatticeDomain.Ordered]!.Node.Data.Vouched;
        });
    });

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
