using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Levels;

/// <summary>What one that was asked had put aside is lacking until one that has it is asked, and no longer.</summary>
public sealed class LevelHealTests
{
    private const ConsistencyLevel Level = ConsistencyLevel.MonotonicWrites;

    [Fact]
    public void Who_lacks_more_than_it_remembers_heals_nothing_and_who_has_all_does()
    {
        var world = new LevelWorld(1, Level, ["a", "b", "c", "e", "f"], Steady(20));
        SetAnew(world, "b", new() { Limits = new LatticeLimits { MaxBytes = 700 } });
        SetAnew(world, "e", new() { Limits = new LatticeLimits { MaxBytes = 100 }, MaxQuarantined = 1 });
        world.Run(async () =>
        {
            await world.Delay(2);
            foreach (var name in (string[])["a", "e", "f"])
            {
                Part(world, "c", name);
            }

            var session = world.Open("a", Level);
            await WriteManyAsync(world, "a", session, "z", 40);
            await world.Delay(0.5);
            await WriteManyAsync(world, "a", session, "x", 200);
            await world.Delay(0.5);
            await world.WriteAsync("a", session, "s", "y");
            await world.Delay(20);
            Assert.Equal(40, (await world.ReadAsync("c", Open(world, "c"), "r", "z")).Seen.Count);
            Assert.Single((await world.ReadAsync("c", Open(world, "c"), "r", "y")).Seen);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(world, "c"), "r", "x"));

            // Only e has what f has made, and c asks it for that.
            world.Network.Heal();
            foreach (var (one, other) in ((string, string)[])[("c", "a"), ("c", "b"), ("c", "f"), ("b", "f"), ("a", "f")])
            {
                Part(world, one, other);
            }

            await world.WriteAsync("f", Open(world, "f"), "f", "v");
            await world.Delay(0.5);
            world.Crash("f");
            await world.Delay(20);
            Assert.Single((await world.ReadAsync("c", Open(world, "c"), "r", "v")).Seen);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(world, "c"), "r", "x"));
            Assert.False(Vouched(world, "c").Covers(Vouched(world, "a")));

            world.Network.Heal();
            await world.Delay(20);
            Assert.Equal(200, (await world.ReadAsync("c", Open(world, "c"), "r", "x")).Seen.Count);
            Assert.True(Vouched(world, "c").Covers(Vouched(world, "a")));
        });
    }

    [Fact]
    public void Who_lacks_more_than_it_remembers_heals_what_it_vouched_for()
    {
        var world = new LevelWorld(1, Level, ["a", "b", "c", "e"], Steady(20));
        SetAnew(world, "b", new() { Limits = new LatticeLimits { MaxBytes = 100 } });
        SetAnew(world, "e", new() { Limits = new LatticeLimits { MaxBytes = 700 }, MaxQuarantined = 1 });
        world.Run(async () =>
        {
            await WriteWhileParted(world);
            foreach (var key in (string[])["x", "u", "v"])
            {
                await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(world, "c"), "r", key));
            }

            world.Network.Mend(new("c"), new("e"));
            await world.Delay(20);
            Assert.Equal(40, (await world.ReadAsync("c", Open(world, "c"), "r", "x")).Seen.Count);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(world, "c"), "r", "u"));
        });
    }

    [Fact]
    public void Who_was_given_by_one_that_lacks_more_than_it_remembers_has_all_once_it_reaches_one_that_has()
    {
        var world = new LevelWorld(1, Level, ["a", "b", "c", "e"], Steady(20));
        SetAnew(world, "b", new() { Limits = new LatticeLimits { MaxBytes = 100 }, MaxQuarantined = 1 });
        SetAnew(world, "e", new() { Limits = new LatticeLimits { MaxBytes = 700 }, MaxQuarantined = 1 });
        world.Run(async () =>
        {
            await WriteWhileParted(world);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(world, "c"), "r", "y"));
            world.Network.Mend(new("a"), new("c"));
            await world.Delay(20);
            foreach (var (key, count) in ((string, int)[])[("x", 40), ("u", 200), ("v", 200), ("y", 1)])
            {
                Assert.Equal(count, (await world.ReadAsync("c", Open(world, "c"), "r", key)).Seen.Count);
            }

            Assert.True(Vouched(world, "c").Covers(Vouched(world, "a")));
            world.Network.Heal();
            await world.Delay(40);
            var sent = world.Network.Counts.Sent;
            await world.Delay(100);
            Assert.InRange(world.Network.Counts.Sent - sent, 0, 20);
        });
    }

    [Fact]
    public void Who_has_healed_is_asked_again()
    {
        var world = new LevelWorld(1, Level, ["a", "b", "c", "d"], Steady(20));
        SetAnew(world, "d", new() { Limits = new LatticeLimits { MaxBytes = 100 } });
        world.Run(async () =>
        {
            await world.Delay(2);
            Part(world, "a", "b");
            Part(world, "a", "c");
            Part(world, "c", "d");
            var session = world.Open("a", Level);
            await WriteManyAsync(world, "a", session, "x", 40);
            await world.Delay(0.5);
            await world.WriteAsync("a", session, "s", "y");
            await world.Delay(30);
            foreach (var name in (string[])["b", "c"])
            {
                Assert.Single((await world.ReadAsync(name, Open(world, name), "r", "y")).Seen);
                await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync(name, Open(world, name), "r", "x"));
            }

            world.Network.Heal();
            Part(world, "a", "c");
            Part(world, "c", "d");
            await world.Delay(30);
            foreach (var name in (string[])["b", "c"])
            {
                Assert.Equal(40, (await world.ReadAsync(name, Open(world, name), "r", "x")).Seen.Count);
                Assert.True(Vouched(world, name).Equals(Vouched(world, "a")));
            }
        });
    }

    [Fact]
    public void What_cannot_be_merged_here_either_is_not_asked_for_again_and_again()
    {
        var world = new LevelWorld(1, Level, ["a", "b", "c"], Steady(20));
        SetAnew(world, "b", new() { Limits = new LatticeLimits { MaxBytes = 100 } });
        SetAnew(world, "c", new() { Limits = new LatticeLimits { MaxBytes = 100 } });
        using var pulls = new PullCount();
        world.Run(async () =>
        {
            await world.Delay(2);
            Part(world, "a", "c");
            var session = world.Open("a", Level);
            await WriteManyAsync(world, "a", session, "x", 40);
            await world.Delay(0.5);
            await world.WriteAsync("a", session, "s", "y0");
            await world.Delay(20);
            Assert.Single((await world.ReadAsync("c", Open(world, "c"), "r", "y0")).Seen);
            world.Network.Heal();
            await world.Delay(10);
            var before = pulls.Value;
            var other = Open(world, "c");
            for (var i = 0; i < 1000; i++)
            {
                await world.WriteAsync("a", session, "s", "y0");
                await world.WriteAsync("c", other, "o", "z");
                await world.Delay(0.02);
            }

            Assert.InRange(pulls.Value - before, 0, 2);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => world.ReadAsync("c", Open(world, "c"), "r", "x"));
        });
    }

    /// <summary>a writes, of which e lacks u and v, and c hears by b alone, which lacks x, too.</summary>
    private static async Task WriteWhileParted(LevelWorld world)
    {
        await world.Delay(2);
        Part(world, "c", "a");
        Part(world, "c", "e");
        Part(world, "b", "e");
        var session = world.Open("a", Level);
        foreach (var (key, count) in ((string, int)[])[("x", 40), ("u", 200), ("v", 200), ("y", 1)])
        {
            await WriteManyAsync(world, "a", session, key, count);
            await world.Delay(0.5);
        }

        await world.Delay(20);
    }

    private static void SetAnew(LevelWorld world, string name, LatticeOptions options)
    {
        world.OptionsOf[name] = options;
        world.Crash(name);
        world.Start(name);
    }

    private static void Part(LevelWorld world, string one, string other)
    {
        world.Network.Cut(new(one), new(other));
        world.Network.Cut(new(other), new(one));
    }

    private static async Task WriteManyAsync(LevelWorld world, string at, ILatticeSession session, string key, int count)
    {
        for (var i = 0; i < count; i++)
        {
            await world.WriteAsync(at, session, "s", key);
        }
    }

    private static ILatticeSession Open(LevelWorld world, string name) => world.Open(name, Level);

    private static VectorClock Vouched(LevelWorld world, string name) => world[name][LatticeDomain.Ordered]!.Node.Data.Vouched;

    private static SimulatedNetworkOptions Steady(int milliseconds) =>
        new() { MinDelay = TimeSpan.FromMilliseconds(milliseconds), MaxDelay = TimeSpan.FromMilliseconds(milliseconds) };
}
