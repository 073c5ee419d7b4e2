using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.VersionedLeader;

/// <summary>
/// What an instance of a versioned grain sees and confirms. More than 400 lines: every test has a history of its own, and all share how it
/// is made.
/// </summary>
public sealed class VersionedLeaderViewTests
{
    private static readonly string[] Three = ["a", "b", "c"];
    private static readonly string[] Four = ["a", "b", "c", "d"];
    private static readonly string[] Followers = ["b", "c"];

    [Fact]
    public void All_instances_agree_on_one_sequence_that_holds_each_update_once()
    {
        var world = Started("a", "b", "c");
        world.Run(async () =>
        {
            await Task.WhenAll(Three.Select(c => world[c].Do(async view =>
            {
                for (var i = 0; i < 5; i++)
                {
                    view.Enqueue($"{c}{i}");
                    view.Enqueue([$"{c}{i}x", $"{c}{i}y"]);
                    await view.ConfirmAsync();
                }
            })));
            await world.Delay(500);
        });

        var lines = world["a"].View.Confirmed.Lines;
        Assert.Equal(45, lines.Count);
        Assert.Equal(45, lines.Distinct().Count());
        Assert.Equal(lines, world["b"].View.Confirmed.Lines);
        Assert.Equal(lines, world["c"].View.Confirmed.Lines);
        Assert.Equal(45, world["b"].View.Version);
        Assert.Equal(15, lines.Count(l => l[0] == 'b'));
        Assert.Equal(lines.Where(l => l[0] == 'b').Order(StringComparer.Ordinal), lines.Where(l => l[0] == 'b'));
    }

    [Fact]
    public void Where_the_leader_confirms_its_own_updates_wait_for_no_message_and_followers_hear_of_them()
    {
        var world = Started("a", "b");
        world.Run(async () =>
        {
            var before = world.Scheduler.Time.Elapsed;
            await world["a"].Do(async view =>
            {
                view.Enqueue("a1");
                await view.ConfirmAsync();
                await view.RefreshAsync();
                Assert.Equal(1, view.Version);
            });
            Assert.Equal(before, world.Scheduler.Time.Elapsed);
            await world.Delay(260);
        });

        Assert.Equal(["a1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void Where_a_majority_confirms_an_update_of_the_leader_takes_one_round_trip_and_is_in_two_memories()
    {
        var world = Started("a", "b", "c");
        world.Run(async () =>
        {
            await world.Delay(1_000);
            var before = world.Scheduler.Time.Elapsed;
            await world["a"].Do(async view =>
            {
                view.Enqueue("a1");
                await view.ConfirmAsync();
            });
            Assert.Equal(TimeSpan.FromMilliseconds(100), world.Scheduler.Time.Elapsed - before);
            Assert.Equal([1, 1, 1], Three.Select(c => world.Memory(c)!.Log.Version));
        });
    }

    [Fact]
    public void Damaged_messages_change_nothing()
    {
        var world = Started("a", "b");
        world.Run(async () =>
        {
            await world["a"].Do(view => view.Enqueue("a1"));
            await world.Delay(500);
            var known = world.Memory("b")!;
            var random = new Random(1);
            var term = new Term(9, new("a"), 3);
            var sound = AppendCodec.Write(new Append(term, 1, 3, 0, 2, 2, true, 1, known.Log.Begin(term) with { Step = 2 }));
            for (var i = 0; i < 2_000; i++)
            {
                var junk = i % 2 == 0 ? sound[..random.Next(sound.Length)]
                    : [(byte)random.Next(16), (byte)random.Next(256), (byte)random.Next(256)];
                try
                {
                    world.Exchanges["b"].Exchange.Memories.Find(LeaderWorld.Grain)!.Answer(new("a"), junk);
                }
                catch (GeoSerializationException)
                {
                    // As it must.
                }
            }

            Assert.Equal(known.Log, world.Memory("b")!.Log);
            await world["b"].Do(async view =>
            {
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(["a1", "b1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_followers_first_update_takes_one_round_trip()
    {
        var world = Started("a");
        world.Add("b");
        world.Run(async () =>
        {
            var before = world.Scheduler.Time.Elapsed;
            await world["b"].Do(async view =>
            {
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
            Assert.Equal(TimeSpan.FromMilliseconds(100), world.Scheduler.Time.Elapsed - before);
        });
    }

    /// <summary>
    /// Of a grain that is used nowhere: to the leader, and, inside of that, from the leader to all. What the instance begins to load when
    /// it is activated costs no more, though it is on its way before the call is there.
    /// </summary>
    [Theory]
    [InlineData("ab", true)]
    [InlineData("ab", false)]
    [InlineData("abc", true)]
    [InlineData("abc", false)]
    public void The_first_access_far_from_the_leader_takes_two_round_trips(string clusters, bool isUpdate)
    {
        for (var seed = 1; seed <= 20; seed++)
        {
            var world = new LeaderWorld(seed, "a", [.. clusters.Select(c => c.ToString())]);
            world.Run(async () =>
            {
                foreach (var cluster in clusters)
                {
                    world.Join(cluster.ToString());
                }

                var far = world.Activate("b");
                await world.Delay(1);
                var before = world.Scheduler.Time.Elapsed;
                await far.Do(async view =>
                {
                    if (isUpdate)
                    {
                        view.Enqueue("b1");
                    }

                    await (isUpdate ? view.ConfirmAsync() : view.RefreshAsync());
                });
                Assert.InRange((world.Scheduler.Time.Elapsed - before).TotalMilliseconds, 150, 200);
            });
        }
    }

    [Fact]
    public void A_request_activates_the_leader_where_it_sleeps()
    {
        var world = new LeaderWorld("a", "a", "b");
        world.Join("a");
        world.Add("b");
        world.Run(() => world["b"].Do(async view =>
        {
            view.Enqueue("b1");
            await view.ConfirmAsync();
        }));

        Assert.Equal(["b1"], world["a"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_batch_whose_reply_is_lost_is_applied_once()
    {
        var world = Started("a", "b");
        world.Run(async () =>
        {
            world.Cut("a", "b");
            var confirm = world["b"].Do(async view =>
            {
                view.Enqueue("b1");
                await world.Delay(200);
                view.Enqueue("b2");
                await view.ConfirmAsync();
            });
            await world.Delay(5_000);
            Assert.Equal(["b1", "b2"], world["a"].View.Confirmed.Lines);
            Assert.NotNull(world["b"].View.Issue);
            Assert.False(confirm.IsCompleted);
            world.Network.Heal();
            await confirm;
            Assert.Null(world["b"].View.Issue);
        });

        Assert.Equal(["b1", "b2"], world["a"].View.Confirmed.Lines);
        Assert.Equal(["b1", "b2"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_leader_that_starts_again_adopts_the_newest_copy_and_still_applies_a_batch_once()
    {
        var world = Started("a", "b", "c");
        world.Run(async () =>
        {
            world.Cut("a", "b");
            var confirm = world["b"].Do(async view =>
            {
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
            await world.Delay(200);
            Assert.Equal(["b1"], world["c"].View.Confirmed.Lines);
            world.Crash("a");
            world.Network.Heal();
            world.Add("a");
            await confirm;
            await world["c"].Do(async view =>
            {
                view.Enqueue("c1");
                await view.ConfirmAsync();
            });
            await Task.WhenAll(world["a"].Do(v => v.RefreshAsync()), world["b"].Do(v => v.RefreshAsync()));
        });

        Assert.Equal(["b1", "c1"], world["a"].View.Confirmed.Lines);
        Assert.Equal(["b1", "c1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_leader_that_has_lost_its_memory_waits_for_who_may_know_more()
    {
        var world = Started("a", "b", "c");
        world.Run(async () =>
        {
            await world.Delay(1_000);
            world.Cut("a", "c");
            await world["b"].Do(async view =>
            {
                view.Enqueue(["b1", "b2"]);
                await view.ConfirmAsync();
            });
            world.Crash("a");
            world.Network.Heal();
            world.Network.Isolate(new("b"));
            world.Add("a");
            await world["a"].Do(view => view.Enqueue("a1"));
            await world.Delay(5_000);
            Assert.Equal((0, 1), (world["a"].View.Version, world["a"].View.Tentative.Lines.Count));
            Assert.Equal("beginning to lead", world["a"].View.Issue!.What);
            world.Network.Heal();
            await world["a"].Do(view => view.ConfirmAsync());
            await Task.WhenAll(world["b"].Do(view => view.RefreshAsync()), world["c"].Do(view => view.RefreshAsync()));
        });

        Assert.All(Three, c => Assert.Equal(["b1", "b2", "a1"], world[c].View.Confirmed.Lines));
    }

    [Fact]
    public void A_follower_without_a_link_goes_on_locally()
    {
        var world = Started("a", "b");
        world.Run(() => world["b"].Do(async view =>
        {
            world.Network.Isolate(new("b"));
            for (var i = 0; i < 10; i++)
            {
                view.Enqueue($"b{i}");
                Assert.Equal(i + 1, view.Tentative.Lines.Count);
            }

            await world.Delay(30_000);
            Assert.True(view.Issue is { Attempts: > 3, Permanent: false });
            Assert.Equal((0, 10), (view.Version, view.Unconfirmed.Count));
            world.Network.Heal();
            await view.ConfirmAsync();
            Assert.Equal(10, view.Version);
        }));
    }

    [Fact]
    public void Of_conditional_updates_on_one_version_exactly_one_takes_effect_even_when_replies_are_lost()
    {
        var world = Started("a", "b", "c");
        world.Run(async () =>
        {
            await Task.WhenAll(world["b"].Do(v => v.RefreshAsync()), world["c"].Do(v => v.RefreshAsync()));
            var (b, c) = (world["b"].Try("b1", "b2"), world["c"].Try("c1", "c2"));
            await world.Delay(10);
            world.Cut("a", "b");
            world.Cut("a", "c");
            await world.Delay(3_000);
            world.Network.Heal();
            Assert.True(await b ^ await c);
            Assert.Equal(await b ? ["b1", "b2"] : ["c1", "c2"], world["a"].View.Confirmed.Lines);
            await Task.WhenAll(world["b"].Do(v => v.RefreshAsync()), world["c"].Do(v => v.RefreshAsync()));
            Assert.Empty(world["b"].View.Unconfirmed);
            Assert.Empty(world["c"].View.Unconfirmed);
            Assert.True(await world["c"].Try("c3"));
            await world["a"].Do(v => v.RefreshAsync());
        });

        Assert.Equal(3, world["a"].View.Version);
    }

    [Fact]
    public void When_the_number_that_would_tell_was_displaced_the_outcome_is_reported_as_lost()
    {
        var world = new LeaderWorld("a", "a", "b", "c", "d")
        {
            Options = new() { MaxInstances = 2 },
            Confirmation = UpdateConfirmation.Leader,
        };
        foreach (var cluster in Four)
        {
            world.Add(cluster);
        }

        world.Run(async () =>
        {
            await world["b"].Do(v => v.RefreshAsync());
            world.Cut("a", "b");
            await world["b"].Do(view => view.Enqueue("b1"));
            await world.Delay(300);
            foreach (var cluster in Four[2..])
            {
                await world[cluster].Do(async view =>
                {
                    view.Enqueue(cluster);
                    await view.ConfirmAsync();
                });
            }

            world.Network.Heal();
            await world["b"].Do(async view =>
            {
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync());
                Assert.Empty(view.Unconfirmed);
            });
        });

        Assert.Equal(["b1", "c", "d"], world["a"].View.Confirmed.Lines);
    }

    [Fact]
    public void Lossy_links_and_leader_crashes_double_nothing_and_keep_every_view_in_order()
    {
        for (var seed = 0; seed < 30; seed++)
        {
            var world = Started("a", "b", "c");
            var random = new Random(seed);
            world.Network.Options.Loss = 0.2;
            world.Network.Options.Duplication = 0.2;
            world.Network.Options.MaxDelay = TimeSpan.FromMilliseconds(200);
            world.Run(async () =>
            {
                await world.Delay(3_000);
                var work = Followers.Select(c => world[c].Do(async view =>
                {
                    for (var i = 0; i < 10; i++)
                    {
                        view.Enqueue($"{c}{i}");
                        await world.Delay(random.Next(300));
                        if (i % 3 == 0)
                        {
                            await view.ConfirmAsync();
                        }
                    }

                    await view.ConfirmAsync();
                })).ToArray();
                await world.Delay(random.Next(3_000));
                world.Crash("a");
                await world.Delay(random.Next(1_000));
                world.Add("a");
                await Task.WhenAll(work);
                world.Network.Options.Loss = 0;
                await Task.WhenAll(Three.Select(c => world[c].Do(v => v.RefreshAsync())));
            });

            var lines = world["a"].View.Confirmed.Lines;
            Assert.Equal(lines.Distinct(), lines);
            Assert.Equal(lines, world["b"].View.Confirmed.Lines);
            foreach (var c in Followers)
            {
                var own = lines.Where(l => l.StartsWith(c, StringComparison.Ordinal)).ToList();
                Assert.Equal(own.Order(StringComparer.Ordinal), own);
                Assert.True(own.Count == 10, $"seed {seed}: {c} has {own.Count} of 10 updates");
            }
        }
    }

    private static LeaderWorld Started(params string[] clusters)
    {
        var world = new LeaderWorld("a", [.. clusters.Union(["b"])]);
        foreach (var cluster in clusters)
        {
            world.Add(cluster);
        }

        // The other clusters are up, though the grain may not be active in them.
        if (!clusters.Contains("b"))
        {
            world.Join("b");
        }

        world.Run(async () =>
        {
            await world["a"].Do(view => view.RefreshAsync());
        });
        return world;
    }
}
