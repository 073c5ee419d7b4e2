using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.VersionedLeader;

/// <summary>Schedules that were looked for by hand against the rules as they were, each of which once broke a promise.</summary>
public sealed class LeaderScheduleTests
{
    private static readonly string[] Two = ["a", "b"];
    private static readonly string[] Three = ["a", "b", "c"];

    [Fact]
    public void What_is_in_doubt_when_its_instance_comes_to_lead_is_not_applied_again()
    {
        var world = Started(Three, UpdateConfirmation.Replicated, new() { MaxInstances = 2 });
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
            world.Cut("a", "b");
            await world["b"].Do(view => view.Enqueue("b1"));
            await world.Delay(300);
            await AddAsync(world, "c", "c1");
            await AddAsync(world, "a", "a1");
            await world.Delay(300);
            Assert.Equal(["a0", "b1", "c1", "a1"], world["c"].View.Confirmed.Lines);
            world.Crash("a");
            world.Network.Heal();
            world.Network.Isolate(new("a"));
            await world["b"].Do(async view =>
            {
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync());
                await view.RefreshAsync();
                Assert.Empty(view.Unconfirmed);
            });
        });

        Assert.Equal(["a0", "b1", "c1", "a1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_no_message_carried_is_decided_when_its_instance_comes_to_lead_though_what_was_sent_before_is_in_doubt()
    {
        var world = Started(Three, UpdateConfirmation.Replicated, new() { MaxInstances = 2 });
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
            world.Cut("a", "b");
            await world["b"].Do(view => view.Enqueue("b1"));
            await world.Delay(300);
            await AddAsync(world, "c", "c1");
            await AddAsync(world, "a", "a1");
            world.Network.Options.RefusedWhenCut = 1;
            world.Network.Isolate(new("b"));
            await world.Delay(1_500);
            await world["b"].Do(view => view.Enqueue(["b2", "b3"]));
            world.Crash("a");
            world.Network.Heal();
            world.Network.Isolate(new("a"));
            await world["b"].Do(async view =>
            {
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync());
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(["a0", "b1", "c1", "a1", "b2", "b3"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_never_left_is_not_in_doubt_however_many_instances_others_had_meanwhile()
    {
        var world = Started(Three, UpdateConfirmation.Leader, new() { MaxInstances = 2 });
        world.Network.Options.RefusedWhenCut = 1;
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await world["b"].Do(view => view.RefreshAsync());
            world.Network.Isolate(new("b"));
            await world["b"].Do(view => view.Enqueue("b1"));
            for (var i = 0; i < 3; i++)
            {
                await AddAsync(world, "c", $"c{i}");
                await world.DeactivateAsync("c");
                world.Activate("c");
            }

            world.Network.Heal();
            await world["b"].Do(view => view.ConfirmAsync());
        });

        Assert.Equal(["a0", "c0", "c1", "c2", "b1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_was_queued_behind_a_refused_condition_keeps_its_number()
    {
        var world = Started(Two, UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await world["b"].Do(view => view.RefreshAsync());
            world.Network.Isolate(new("b"));
            await AddAsync(world, "a", "a1");
            var first = world["b"].Try("b1");
            await world["b"].Do(view => view.Enqueue("b2"));
            var second = world["b"].Try("b3");
            world.Network.Heal();
            Assert.False(await first);
            Assert.False(await second);

            // The leader decides "b2", and nobody hears of it.
            world.Cut("a", "b");
            await world.Delay(2_000);
            Assert.Equal(["a0", "a1", "b2"], world["a"].View.Confirmed.Lines);
            var late = world.Memory("a")!;
            await world["b"].Do(view => view.Enqueue("b4"));
            await Until(world, () => world["a"].View.Version == 4);

            // What the leader told before that arrives late.
            var tell = LeaderDeciding.Tell(late, new("b"), 0, withLog: true);
            await world["b"].Do(_ => world.Exchanges["b"].Exchange.Memories.Find(LeaderWorld.Grain)!.Take(new("a"), tell));
            await world.Delay(100);
            world.Network.Heal();
            await world["b"].Do(view => view.ConfirmAsync());
        });

        Assert.Equal(["a0", "a1", "b2", "b4"], world["a"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_the_leader_could_not_write_is_never_told_to_be_confirmed_though_the_first_reply_was_lost()
    {
        var world = Started(Two, UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            world.Cut("a", "b");
            var refused = Task.CompletedTask;
            await world["b"].Do(view =>
            {
                view.Enqueue("b1");
                view.Enqueue(CountingSerializer.Unwritable);
                refused = view.ConfirmAsync();
                view.Enqueue("b2");
            });
            await world.Delay(5_000);
            world.Network.Heal();
            await Assert.ThrowsAsync<GeoSerializationException>(() => refused);
            await world["b"].Do(view => view.ConfirmAsync());
        });

        Assert.Equal(["b1", "b2"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_no_message_can_carry_is_refused_and_what_is_too_much_for_one_goes_in_several()
    {
        var world = Started(Two, UpdateConfirmation.Leader, new() { MaxBytes = 1_024 });
        world.Run(async () =>
        {
            foreach (var cluster in Two)
            {
                await world[cluster].Do(view =>
                {
                    view.Enqueue(new string('y', 2_000));
                    for (var i = 0; i < 20; i++)
                    {
                        view.Enqueue(new string((char)('a' + i), 80));
                    }

                    view.Enqueue(new string('z', 2_000));
                });
                await Until(world, () => world[cluster].View.Unconfirmed.Count == 0);
                Assert.Empty(world[cluster].View.Unconfirmed);
            }

            // Nobody waited when they were taken out.
            await world["b"].Do(view => Assert.ThrowsAsync<GeoSerializationException>(() => view.RefreshAsync()));
            await world["b"].Do(view => view.RefreshAsync());
        });

        Assert.Equal(12, world["b"].View.Version);
        Assert.Equal(world["a"].View.Confirmed.Lines, world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_cluster_that_comes_back_is_told_again_though_the_leaders_is_away()
    {
        string[] five = ["a", "b", "c", "d", "e"];
        var world = Started(five);
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await world.Delay(500);
            await Task.WhenAll(five.Select(world.DeactivateAsync));
            world.Crash("a");
            world.Network.Isolate(new("a"));
            await world.Delay(5_000);
            foreach (var cluster in five[1..3])
            {
                world.Crash(cluster);
                world.Network.Isolate(new(cluster));
                await world.Delay(2_000);
                world.Join(cluster);
                foreach (var other in five[1..].Where(c => c != cluster))
                {
                    world.Network.Mend(new(cluster), new(other));
                }

                await world.Delay(15_000);
                Assert.True(world.Memory(cluster)?.IsSeated, cluster);
            }
        });
    }

    [Theory]
    [InlineData("b", "c")]
    [InlineData("c", "b")]
    public void A_cluster_that_comes_back_is_told_again_whichever_link_is_up_first(string first, string second)
    {
        var world = Started(Three);
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await world.Delay(500);
            await Task.WhenAll(Three.Select(world.DeactivateAsync));
            world.Crash("a");
            world.Network.Isolate(new("a"));
            await world.Delay(3_000);
            world.Join("a");
            world.Network.Mend(new("a"), new(first));
            await world.Delay(5_000);
            world.Network.Mend(new("a"), new(second));
            await world.Delay(10_000);
            Assert.Equal((true, 1), (world.Memory("a")!.IsSeated, world.Memory("a")!.Log.Version));
        });
    }

    [Fact]
    public void A_late_request_to_take_over_keeps_no_follower_from_its_leader()
    {
        var world = Started(Two, UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            await AddAsync(world, "a", "a0");
            await AddAsync(world, "b", "b0");
            await world.Delay(1_000);
            byte[] late = [.. ElectionCodec.Write(new TakeOver(world.Memory("a")!.Incarnation, world.Memory("a")!.Promised)),
                ConfirmationCodec.Encode(UpdateConfirmation.Leader)];
            await world["b"].Do(_ => world.Exchanges["b"].Exchange.Memories.Find(LeaderWorld.Grain)!.Answer(new("a"), late));
            await world.Delay(1_000);
            await world["b"].Do(view => view.Enqueue("b1"));
            await world.Delay(30_000);
        });

        Assert.Equal(["a0", "b0", "b1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_batch_that_comes_twice_is_applied_once_however_late_the_second_comes()
    {
        var world = Started(Three, UpdateConfirmation.Leader, new() { MaxInstances = 2 });
        world.Run(async () =>
        {
            var late = BatchOf(world, "b", "b1");
            await AddAsync(world, "b", "b1");
            await AddAsync(world, "c", "c1");
            await AddAsync(world, "a", "a1");
            await world["a"].Do(view => view.ReceiveAsync(new("b"), late, default).AsTask());
        });

        Assert.Equal(["b1", "c1", "a1"], world["a"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_is_sent_for_the_first_time_is_in_no_doubt_however_little_its_sender_knew()
    {
        var world = Started(Three, UpdateConfirmation.Leader, new() { MaxInstances = 2 });
        world.Run(async () =>
        {
            world.Crash("b");
            for (var i = 0; i < 3; i++)
            {
                await AddAsync(world, "c", $"c{i}");
                await world.DeactivateAsync("c");
                world.Activate("c");
            }

            world.Network.Heal();
            await AddAsync(world, "a", "a0");
            await world.Add("b").Do(async view =>
            {
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(["c0", "c1", "c2", "a0", "b1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void What_a_cluster_that_does_not_lead_got_is_not_in_doubt()
    {
        // No cluster is named: none leads again of its own accord.
        var order = LeaderChoice.Order(LeaderWorld.Grain, default, Three.Select(c => new ClusterId(c))).Select(c => c.Name).ToArray();
        var (first, sender, next) = (order[0], order[1], order[2]);
        var world = Started(Three, UpdateConfirmation.Replicated, new() { MaxInstances = 2 }, leader: "");
        world.Run(async () =>
        {
            await AddAsync(world, first, "first");
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));

            // The sender does not hear that the next one leads now; the first one tells it, and the next one cannot be reached.
            world.Cut(next, sender);
            byte[] takeOver = [.. ElectionCodec.Write(new TakeOver(world.Memory(first)!.Incarnation, world.Memory(first)!.Promised)),
                ConfirmationCodec.Encode(UpdateConfirmation.Replicated)];
            await world[next].Do(_ => world.Exchanges[next].Exchange.Memories.Find(LeaderWorld.Grain)!.Answer(new(first), takeOver));
            await Until(world, () => world.Memory(next)!.Leadership is not null);
            world.Cut(sender, next);
            world.Network.Options.RefusedWhenCut = 1;
            await world[sender].Do(view => view.Enqueue("late"));
            await world.Delay(500);
            for (var i = 0; i < 3; i++)
            {
                await AddAsync(world, next, $"{i}");
                await world.DeactivateAsync(next);
                world.Activate(next);
            }

            world.Network.Heal();
            await world[sender].Do(view => view.ConfirmAsync());
        });

        Assert.Equal(["first", "0", "1", "2", "late"], world[sender].View.Confirmed.Lines);
    }

    private static LeaderWorld Started(
        string[] clusters, UpdateConfirmation confirmation = UpdateConfirmation.Default, VersionedLeaderOptions? options = null,
        string leader = "a")
    {
        var world = new LeaderWorld(leader, clusters) { Confirmation = confirmation, Options = options ?? new() };
        Array.ForEach(clusters, c => world.Add(c));
        world.Run(() => Task.WhenAll(clusters.Select(c => world[c].Do(view => view.RefreshAsync()))));
        return world;
    }

    private static Task AddAsync(LeaderWorld world, string cluster, string update) => world[cluster].Do(async view =>
    {
        view.Enqueue(update);
        await view.ConfirmAsync();
    });

    private static async Task Until(LeaderWorld world, Func<bool> condition)
    {
        for (var i = 0; i < 1_000 && !condition(); i++)
        {
            await world.Delay(10);
        }
    }

    /// <summary>What a cluster's instance would send to the leader now, with one update.</summary>
    private static byte[] BatchOf(LeaderWorld world, string cluster, string update)
    {
        var (writer, bytes) = (new PayloadWriter(), new PayloadWriter());
        var memory = world.Memory(cluster)!;
        BatchCodec.Write(
            writer, new(memory.Incarnation, memory.IsSeated, memory.Highest, memory.Promised, memory.Log.At, memory.Log.Step),
            new(world[cluster].View.InstanceId, memory.Shown.Step, 1, 1, 0, default, 0));
        writer.WriteUnsigned(1);
        new CountingSerializer().Serialize(update, bytes);
        writer.WriteBytes(bytes.Written.Span);
        return writer.ToArray();
    }
}
