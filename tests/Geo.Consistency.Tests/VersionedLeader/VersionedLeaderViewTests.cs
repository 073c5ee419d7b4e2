using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.VersionedLeader;

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
    public void The_leaders_own_updates_are_confirmed_at_once_and_followers_hear_of_them()
    {
        var world = Started("a", "b");
        world.Run(async () =>
        {
            await world["a"].Do(view =>
            {
                view.Enqueue("a1");
                Assert.Equal(1, view.Version);
                Assert.True(view.ConfirmAsync().IsCompleted);
                Assert.True(view.RefreshAsync().IsCompleted);
            });
            await world.Delay(60);
        });

        Assert.Equal(["a1"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void An_unreadable_word_of_the_leader_changes_nothing()
    {
        var world = Started("a", "b");
        world.Run(async () =>
        {
            await world["a"].Do(view => view.Enqueue("a1"));
            await world.Delay(60);
            await world["b"].Do(async view =>
            {
                foreach (var junk in new byte[][] { [(byte)LeaderMessage.Tell], [(byte)LeaderMessage.Tell, 0xff, 0xff, 0xff] })
                {
                    Assert.True((await view.ReceiveAsync(new("a"), junk, default)).IsEmpty);
                }

                Assert.Equal((1, null), (view.Version, view.Issue));
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
            await world.Delay(60);
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
            await world.Delay(100);
        });

        Assert.Equal(["b1", "c1"], world["a"].View.Confirmed.Lines);
        Assert.Equal(["b1", "c1"], world["b"].View.Confirmed.Lines);
        Assert.DoesNotContain(world["b"].Listener.Arisen, i => i.What == "keeping the history");
    }

    [Fact]
    public void Whoever_knew_versions_that_a_new_leader_could_not_find_hears_that_they_are_lost()
    {
        var world = Started("a", "b", "c");
        world.Run(async () =>
        {
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
            await world.Delay(3_000);
            Assert.Equal(["a1"], world["a"].View.Confirmed.Lines);
            Assert.Equal(["b1", "b2"], world["b"].View.Confirmed.Lines);
            world.Network.Heal();
            await world["b"].Do(view => view.RefreshAsync());
        });

        Assert.Equal(["a1"], world["b"].View.Confirmed.Lines);
        var issue = Assert.Single(world["b"].Listener.Arisen, i => i.What == "keeping the history");
        Assert.Contains("2 versions", issue.Reason, StringComparison.Ordinal);
        Assert.Empty(world["c"].Listener.Arisen);
        Assert.Null(world["b"].View.Issue);
    }

    [Fact]
    public void A_leader_waits_for_silent_instances_only_as_long_as_its_option_says()
    {
        var world = new LeaderWorld("a", "a", "b") { Options = new() { RecoveryWait = TimeSpan.FromMilliseconds(300) } };
        world.Add("a");
        world.Add("b");
        world.Network.Options.RefusedWhenCut = 0;
        world.Network.Isolate(new("b"));
        world.Run(async () =>
        {
            await world["a"].Do(async view =>
            {
                view.Enqueue("a1");
                Assert.Equal((0, 1), (view.Version, view.Tentative.Lines.Count));
                await view.ConfirmAsync();
            });
            Assert.Equal(TimeSpan.FromMilliseconds(300), world.Scheduler.Time.Elapsed);
        });
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
        });

        Assert.Equal(3, world["a"].View.Version);
    }

    [Fact]
    public void When_the_number_that_would_tell_was_displaced_the_outcome_is_reported_as_lost()
    {
        var world = new LeaderWorld("a", "a", "b", "c", "d") { Options = new() { MaxInstances = 2 } };
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
                await Task.WhenAll(world["b"].Do(v => v.RefreshAsync()), world["c"].Do(v => v.RefreshAsync()));
            });

            var lines = world["a"].View.Confirmed.Lines;
            Assert.Equal(lines.Distinct(), lines);
            Assert.Equal(lines, world["b"].View.Confirmed.Lines);
            foreach (var c in Followers)
            {
                var own = lines.Where(l => l.StartsWith(c, StringComparison.Ordinal)).ToList();
                Assert.Equal(own.Order(StringComparer.Ordinal), own);
                var isTold = world[c].Listener.Arisen.Any(i => i.What == "keeping the history");
                Assert.True(own.Count == 10 || isTold, $"seed {seed}: {c} has {own.Count} of 10 updates and nobody was told");
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
