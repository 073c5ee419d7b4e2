using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>What stores keep of coordination-free grains: in virtual time, with stores that are late, hang and are read again.</summary>
public sealed class LatticeStorageTests
{
    private static readonly SimulatedNetworkOptions Steady = new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    };

    private static readonly LatticeOptions Options = new()
    {
        StorageTimeout = TimeSpan.FromSeconds(2),
        StatusInterval = TimeSpan.FromSeconds(1),
        CollectInterval = TimeSpan.FromMilliseconds(200),
    };

    [Fact]
    public void What_is_older_than_the_interval_and_a_write_outlives_the_crash_of_all_clusters() => Run(async world =>
    {
        await world.Delay(1);
        for (var i = 0; i < 100; i++)
        {
            await world.Count("a", "likes", 1);
            await world.Count("b", $"{i}", 1);
            await world.Delay(0.05);
        }

        // The interval, a write (at most 20 ms) and as much before the next one that takes the change up.
        var younger = (int)((Options.SaveEvery.TotalSeconds + 0.05) / 0.05) + 1;
        CrashAll(world);
        world.Start("b");
        await world.Delay(10);
        Assert.InRange(world.State<PnCounter>("b", new("counter", "7")).Value, 1, 1);
        world.Start("a");
        await world.Delay(10);
        Assert.InRange(world.State<PnCounter>("b", new("counter", "likes")).Value, 100 - younger, 100);
        Assert.Equal(world.Contents("a"), world.Contents("b"));
    });

    [Fact]
    public void A_wait_for_the_store_ends_when_the_store_has_the_update_and_not_before() => Run(async world =>
    {
        await world.Delay(1);
        world.StoreOf("a").Options.Hangs = true;
        await world.Count("a", "likes", 1);
        var stored = world.StoredAsync("a", "likes");
        await world.Delay(30);
        Assert.False(stored.IsCompleted);
        world.StoreOf("a").EndHanging();
        await world.Delay(11);
        Assert.True(stored.IsCompletedSuccessfully);
        await world.Count("a", "likes", 1);
        var next = world.StoredAsync("a", "likes");
        await world.Delay(0.05);
        Assert.True(next.IsCompletedSuccessfully, "who waits does not wait for the interval");
        CrashAll(world);
        world.Start("a");
        await world.Delay(5);
        Assert.Equal(2, world.State<PnCounter>("a", new("counter", "likes")).Value);
    });

    [Fact]
    public void What_others_removed_and_forgot_while_a_cluster_was_away_does_not_return_from_its_store() => Run(async world =>
    {
        await world.Delay(1);
        await world.Put("a", "cart", "milk");
        await world.Delay(3);
        world.Crash("a");
        world.Clusters.Remove(new("a"));
        await world.Take("b", "cart", "milk");
        await world.Delay(5);
        Assert.Equal(0, world["b"].Node.Data.Cells.Count);
        world.Clusters.Add(new("a"));
        world.Start("a");
        await world.Delay(20);
        Assert.Empty(world.Contents("a"));
        Assert.Empty(world.Contents("b"));
    });

    [Theory]
    [InlineData(null, 1.2, false)]
    [InlineData(null, 3, false)]
    [InlineData(null, 20, false)]
    [InlineData(nameof(LatticeRule.OldStates), 1.2, true)]
    public void What_others_removed_and_forgot_does_not_return_when_the_store_answers_while_or_after_the_replica_joins(
        string? off, double after, bool returns)
    {
        var options = new LatticeOptions
        {
            StorageTimeout = TimeSpan.FromSeconds(60),
            StatusInterval = TimeSpan.FromSeconds(1),
            CollectInterval = TimeSpan.FromMilliseconds(200),
            MaxFrameBytes = 1024,
        };
        var world = new LatticeWorld(1, ["a", "b"], Steady, options, isStored: true);
        world.Run(async () =>
        {
            await world.Delay(1);
            for (var i = 0; i < 20; i++)
            {
                await world.Put("a", $"{i}", "milk");
            }

            for (var i = 0; i < 2000; i++)
            {
                await world.Count("b", $"{i}", 1);
            }

            await world.Delay(30);
            world.Crash("a");
            world.Clusters.Remove(new("a"));
            for (var i = 0; i < 20; i++)
            {
                await world.Take("b", $"{i}", "milk");
            }

            await world.Delay(15);
            Assert.Equal(2000, world["b"].Node.Data.Cells.Count);
            world.Clusters.Add(new("a"));
            world.StoreOf("a").Options.Hangs = true;
            world.Start("a");
            await world.Delay(after);
            LatticeRules.SwitchOff(off is null ? null : Enum.Parse<LatticeRule>(off));
            world.StoreOf("a").EndHanging();
            await world.Delay(30);
            LatticeRules.SwitchOff(null);
            Assert.Equal(returns, world.Contents("a").Keys.Any(k => k.StartsWith("set", StringComparison.Ordinal)));
            Assert.Equal(2000, world.Contents("b").Count(c => c.Key.StartsWith("counter", StringComparison.Ordinal)));
            Assert.True(returns || world.Contents("a").SequenceEqual(world.Contents("b")));
        });
    }

    [Fact]
    public void What_is_stored_is_not_made_known_as_news_before_others_have_told_what_they_have() => Run(async world =>
    {
        await world.Delay(1);
        await world.Count("a", "likes", 1);
        await world.Delay(3);
        world.Crash("a");
        world.Network.Isolate(new("a"));
        world.Start("a");
        await world.Delay(20);
        Assert.Equal(1, world.State<PnCounter>("a", new("counter", "likes")).Value);
        world.Network.Heal();
        await world.Delay(20);
        Assert.Equal(0, world["a"].Node.Data.Last);
    });

    [Fact]
    public void A_write_is_later_than_what_the_store_has_though_the_clock_was_ahead_then() => Run(async world =>
    {
        await world.Delay(1);
        var ahead = new Stamp((ulong)world.Scheduler.Time.GetUtcNow().AddHours(1).ToUnixTimeMilliseconds() << 16, new(7));
        var row = new Pair<VectorClock, LwwRegister<string>>(VectorClock.Of(new(7), 1), LwwRegister<string>.Of(ahead, "old"));
        await world.StoreOf("a").WriteAsync("lattice/a/register/1", LatticeForm.ToBytes(row), null);
        world.Crash("a");
        world.Start("a");
        await world.Delay(5);
        Assert.Equal("old", world.State<LwwRegister<string>>("a", new("register", "1")).Value);
        await world.Write("a", "1", "new");
        Assert.Equal("new", world.State<LwwRegister<string>>("a", new("register", "1")).Value);
    });

    [Theory]
    [InlineData(null, true)]
    [InlineData(nameof(LatticeRule.StraysAge), false)]
    public void What_a_store_alone_has_is_made_known_though_a_dead_cluster_is_asked_again_and_again(string? off, bool isKnown)
    {
        LatticeRules.SwitchOff(off is null ? null : Enum.Parse<LatticeRule>(off));
        try
        {
            var world = new LatticeWorld(1, ["a", "b", "d"], Steady, new() { MaxFrameBytes = 1024 }, isStored: true);
            world.Run(async () =>
            {
                await world.Delay(1);
                world.Network.Isolate(new("a"));
                await world.Count("a", "likes", 1);
                await world.Delay(3);
                world.Crash("a");
                world.Network.Heal();
                world.Network.Cut(new("b"), new("d"));
                world.Network.Cut(new("d"), new("b"));
                for (var i = 0; i < 300; i++)
                {
                    await world.Count("d", $"{i}", 1);
                }

                // d tells a that it has more than a frame holds, and dies before it is asked.
                world.Start("a");
                await world.Delay(0.12);
                world.Crash("d");
                await world.Delay(30);
                Assert.Contains(world["a"].Node.Peers.All, p => p.Ahead is not null);
                Assert.Equal(isKnown, world.Contents("b").ContainsKey("counter/likes"));
            });
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }
    }

    [Fact]
    public void A_state_that_could_not_be_read_again_is_not_written()
    {
        var world = new LatticeWorld(
            1, ["a"], Steady, new() { Limits = new() { MaxBytes = 200 }, MaxRetryAfter = TimeSpan.FromSeconds(1) }, isStored: true);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Put("a", "cart", "milk");
            await world.Delay(3);
            await world.Put("a", "cart", new string('x', 300));
            await world.Delay(3);
            Assert.Equal(1, world["a"].Unsaved);
            world.Crash("a");
            world.Start("a");
            await world.Delay(3);
            Assert.Equal("milk", world.Contents("a")["set/cart"]);
        });
    }

    [Fact]
    public void A_grain_that_changes_often_is_written_once_an_interval_and_an_idle_one_never() => Run(async world =>
    {
        await world.Delay(1);
        var before = world.StoreOf("a").Counts.Operations;
        for (var i = 0; i < 1000; i++)
        {
            await world.Count("a", "likes", 1);
            await world.Delay(0.01);
        }

        await world.Delay(5);
        var busy = world.StoreOf("a").Counts.Operations;
        Assert.InRange(busy - before, 5, 12);
        await world.Delay(600);
        Assert.Equal(busy, world.StoreOf("a").Counts.Operations);
    });

    [Fact]
    public void A_damaged_row_is_reported_and_holds_up_no_other() => Run(async world =>
    {
        await world.Delay(1);
        await world.Count("a", "1", 1);
        await world.Count("a", "2", 1);
        await world.Delay(3);
        CrashAll(world);
        var row = await world.StoreOf("a").ReadAsync("lattice/a/counter/1");
        await world.StoreOf("a").WriteAsync("lattice/a/counter/1", new byte[] { 9, 9 }, row.ETag);
        world.Start("a");
        await world.Delay(5);
        Assert.Equal("1", Assert.Single(world["a"].Node.Data.Quarantine).Grain.Key);
        Assert.Equal(1, world.State<PnCounter>("a", new("counter", "2")).Value);
    });

    [Fact]
    public void A_pull_brings_what_the_others_have_and_waits_for_no_cluster_that_is_cut_off() => Run(async world =>
    {
        await world.Delay(1);
        await world.Count("b", "likes", 1);
        var pull = Task.CompletedTask;
        await world.At("a", e => pull = e.PullAsync(CancellationToken.None));
        await world.Delay(0.3);
        Assert.True(pull.IsCompletedSuccessfully);
        Assert.Equal(1, world.State<PnCounter>("a", new("counter", "likes")).Value);
        world.Network.Isolate(new("b"));
        await world.At("a", e => pull = e.PullAsync(CancellationToken.None));
        await world.Delay(0.5);
        Assert.False(pull.IsCompleted);
        await world.Delay(1);
        Assert.True(pull.IsCompletedSuccessfully);
    });

    [Fact]
    public void A_deleted_grain_is_empty_everywhere_and_one_that_only_grows_cannot_be_deleted() => Run(async world =>
    {
        await world.Delay(1);
        await world.Put("a", "cart", "milk");
        await world.Delay(1);
        await world.At("b", e =>
        {
            using var handle = e.Open<Dotted<OrSet<string>>>(new("set", "cart"));
            handle.Delete();
        });
        await world.Delay(1);
        Assert.Empty(world.Contents("a"));
        await world.At("b", e =>
        {
            using var handle = e.Open<PnCounter>(new("counter", "likes"));
            Assert.Throws<NotSupportedException>(handle.Delete);
        });
    });

    private static void CrashAll(LatticeWorld world)
    {
        foreach (var name in world.Live.ToArray())
        {
            world.Crash(name);
        }
    }

    private static void Run(Func<LatticeWorld, Task> test)
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, Options, isStored: true);
        world.Run(() => test(world));
    }
}
