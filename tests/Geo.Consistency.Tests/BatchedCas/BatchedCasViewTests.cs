using System.Text;
using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

public sealed class BatchedCasViewTests
{
    private static readonly string StoreKey = VersionedViews.StoreKeyPrefix + CasWorld.Grain;

    [Fact]
    public void Local_operations_never_wait_and_the_first_read_may_show_version_0()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Store.IsUnreachable = true;
        world.Run(() => a.Do(view =>
        {
            view.Start();
            Assert.Equal(0, view.Version);
            Assert.Empty(view.Confirmed.Lines);
            view.Enqueue("u1");
            Assert.Empty(view.Confirmed.Lines);
            Assert.Equal(["u1"], view.Tentative.Lines);
            Assert.Equal(["u1"], view.Unconfirmed);
        }));

        Assert.Equal(0, world.Store.Operations);
    }

    [Fact]
    public void All_that_is_queued_goes_into_one_write_and_one_write_serves_all_who_wait()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            var waits = new List<Task>();
            for (var i = 0; i < 100; i++)
            {
                view.Enqueue($"u{i}");
                waits.Add(i % 2 == 0 ? view.ConfirmAsync() : view.RefreshAsync());
            }

            await Task.WhenAll(waits);
        }));

        Assert.Equal((1, 1), (world.Store.Reads, world.Store.Writes));
        Assert.Equal(100, world.Stored.Version);
    }

    [Fact]
    public void Waits_that_were_given_up_while_the_store_is_away_make_room_and_ask_the_store_no_more()
    {
        var world = new CasWorld { Options = new() { MaxWaiters = 10 } };
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            world.Store.IsUnreachable = true;
            for (var round = 0; round < 20; round++)
            {
                using var patience = new CancellationTokenSource(TimeSpan.FromMilliseconds(50), world.Scheduler.Time);
                var waits = Enumerable.Range(0, 10).Select(_ => view.RefreshAsync(patience.Token)).ToArray();
                await Assert.ThrowsAsync<GeoUnavailableException>(() => view.RefreshAsync(patience.Token));
                foreach (var wait in waits)
                {
                    await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait);
                }
            }

            // The read in flight, and the wait after it, end by themselves.
            await world.Delay(10_000);
            var reads = world.Store.Reads;
            await world.Delay(60_000);
            Assert.Equal(reads, world.Store.Reads);
        }));
    }

    [Fact]
    public void A_write_serialises_once_and_nothing_is_copied_for_who_reads_only_tentative_states()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            for (var i = 0; i < 10; i++)
            {
                view.Enqueue($"u{i}");
                Assert.Equal(i + 1, view.Tentative.Lines.Count);
                await view.ConfirmAsync();
                Assert.Equal(i + 1, view.Tentative.Lines.Count);
            }
        }));

        Assert.Equal((10, 0), (a.Serializer.Serialized, a.Serializer.Deserialized));
    }

    [Fact]
    public void A_confirmed_state_that_was_shown_is_not_changed_by_later_updates()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            await view.ConfirmAsync();
            var shown = view.Confirmed;
            Assert.Same(shown, view.Tentative);
            view.Enqueue("u2");
            Assert.NotSame(view.Confirmed, view.Tentative);
            Assert.Equal(["u1", "u2"], view.Tentative.Lines);
            await view.ConfirmAsync();
            Assert.Equal(["u1"], shown.Lines);
            Assert.Equal(["u1", "u2"], view.Confirmed.Lines);
        }));
    }

    [Fact]
    public void A_refresh_is_not_satisfied_by_a_read_that_began_before_it()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add("a"), world.Add("a"));
        world.Run(async () =>
        {
            await a.Do(view => view.RefreshAsync());
            var first = a.Do(view => view.RefreshAsync());
            await world.Delay(3);
            world.Store.Gate = new();
            await b.Do(view => view.Enqueue("u1"));
            await world.Delay(1);
            var second = a.Do(view => view.RefreshAsync());
            world.Store.Gate.SetResult();
            world.Store.Gate = null;
            await first;
            Assert.False(second.IsCompleted);
            await second;
        });

        Assert.Equal(3, world.Store.Reads - 1);
    }

    [Fact]
    public void Cancelling_a_wait_leaves_the_update_queued()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            world.Store.IsUnreachable = true;
            view.Enqueue("u1");
            using var giveUp = new CancellationTokenSource(TimeSpan.FromMilliseconds(50), world.Scheduler.Time);
            await Assert.ThrowsAsync<TaskCanceledException>(() => view.ConfirmAsync(giveUp.Token));
            await Assert.ThrowsAsync<TaskCanceledException>(() => view.RefreshAsync(giveUp.Token));
            Assert.Equal(["u1"], view.Unconfirmed);
            world.Store.IsUnreachable = false;
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1"], world.Stored.Lines);
    }

    [Fact]
    public void An_unreachable_store_is_an_issue_that_counts_its_attempts_and_is_resolved_with_the_first_success()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            world.Store.IsUnreachable = true;
            await world.Delay(60_000);
            Assert.NotNull(view.Issue);
            Assert.False(view.Issue.Permanent);
            Assert.Equal("scripted", view.Issue.Reason);
            Assert.InRange(view.Issue.Attempts, 10, 40);
            Assert.Equal(Enumerable.Range(1, view.Issue.Attempts), a.Listener.Arisen.Select(i => i.Attempts));
            world.Store.IsUnreachable = false;
            await view.ConfirmAsync();
            Assert.Null(view.Issue);
        }));

        Assert.Single(a.Listener.Resolved);
    }

    [Theory]
    [InlineData(new byte[] { 9, 9, 9 })]
    [InlineData(new byte[] { 2, 5, 0, 0, 0, (byte)'{', (byte)'"' })]
    [InlineData(new byte[] { 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, (byte)'{', (byte)'}' })]
    [InlineData(new byte[] { })]
    public void A_stored_state_that_cannot_be_read_is_left_as_it_is_and_reported(byte[] damaged)
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await world.Store.Inner.WriteAsync(StoreKey, damaged, null);
            view.Enqueue("u1");
            var decision = view.TryEnqueueAsync(["u2"]);
            var confirm = await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync());
            var refresh = await Assert.ThrowsAsync<GeoSerializationException>(() => view.RefreshAsync());
            await Assert.ThrowsAsync<GeoSerializationException>(() => decision);
            Assert.Contains($"notes/1 (store key '{StoreKey}')", confirm.Message, StringComparison.Ordinal);
            Assert.Equal(confirm.Message, refresh.Message);
            Assert.True(view.Issue is { Permanent: true });
            Assert.Equal(["u1"], view.Tentative.Lines);
            Assert.Equal(damaged, (await world.Store.Inner.ReadAsync(StoreKey)).Value.ToArray());

            var row = await world.Store.Inner.ReadAsync(StoreKey);
            await world.Store.Inner.DeleteAsync(StoreKey, row.ETag!.Value);
            await view.ConfirmAsync();
            Assert.Null(view.Issue);
        }));

        Assert.Equal(["u1"], world.Stored.Lines);
    }

    [Fact]
    public void A_row_deleted_behind_the_views_back_is_not_written_over()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            await view.ConfirmAsync();
            var row = await world.Store.Inner.ReadAsync(StoreKey);
            await world.Store.Inner.DeleteAsync(StoreKey, row.ETag!.Value);
            view.Enqueue("u2");
            var error = await Assert.ThrowsAsync<GeoStorageException>(() => view.ConfirmAsync());
            Assert.Contains("deleted or set back from version 1 to 0", error.Message, StringComparison.Ordinal);
            Assert.Equal(["u1", "u2"], view.Tentative.Lines);
        }));

        Assert.Equal(0, world.Stored.Version);
    }

    [Fact]
    public void A_state_that_the_store_refuses_for_good_fails_the_waiters_and_keeps_what_was_stored()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            await view.ConfirmAsync();
            view.Enqueue("u2");
            world.Store.Refusal = new("scripted");
            await Assert.ThrowsAsync<GeoStorageException>(() => view.ConfirmAsync());
            Assert.True(view.Issue is { Permanent: true });
        }));

        Assert.Equal(["u1"], world.Stored.Lines);
    }

    [Fact]
    public void The_queue_and_a_group_have_limits_that_the_error_names()
    {
        var world = new CasWorld { Options = new() { MaxPending = 3, MaxBatch = 2 } };
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            Assert.Contains(
                "MaxBatch", Assert.Throws<GeoUnavailableException>(() => view.Enqueue(["1", "2", "3"])).Message, StringComparison.Ordinal);
            view.Enqueue("u1");
            view.Enqueue(["u2", "u3"]);
            Assert.Contains(
                "MaxPending", Assert.Throws<GeoUnavailableException>(() => view.Enqueue("u4")).Message, StringComparison.Ordinal);
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1", "u2", "u3"], world.Stored.Lines);
        Assert.Equal(2, world.Store.Writes);
    }

    [Fact]
    public void Other_instances_are_told_of_a_version_and_write_on_top_of_it_without_reading()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            await b.Do(view => view.RefreshAsync());
            await a.Do(async view =>
            {
                view.Enqueue("a1");
                await view.ConfirmAsync();
            });
            await world.Delay(50);
            Assert.Equal(["a1"], await b.Ask(view => view.Confirmed.Lines));
            await b.Do(async view =>
            {
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(["a1", "b1"], world.Stored.Lines);
        Assert.Equal((2, 2), (world.Store.Reads, world.Store.Writes));
    }

    [Fact]
    public void What_was_told_while_a_link_was_down_is_told_anew_when_it_comes_up()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            await b.Do(view => view.RefreshAsync());
            world.Network.Isolate(new ClusterId("b"));
            await a.Do(async view =>
            {
                view.Enqueue("a1");
                await view.ConfirmAsync();
            });
            await world.Delay(50);
            Assert.Empty(await b.Ask(view => view.Confirmed.Lines));

            world.Network.Heal();
            await world.Delay(50);
            Assert.Equal(["a1"], await b.Ask(view => view.Confirmed.Lines));
        });
    }

    [Fact]
    public void A_lost_notification_leaves_a_reader_behind_for_the_time_of_a_digest_at_most()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            await b.Do(view => view.RefreshAsync());
            world.Network.Options.NoticeLoss = 1;
            await a.Do(async view =>
            {
                view.Enqueue("a1");
                await view.ConfirmAsync();
            });
            await world.Delay(50);
            world.Network.Options.NoticeLoss = 0;
            Assert.Empty(await b.Ask(view => view.Confirmed.Lines));

            await world.Delay(5_000);
            Assert.Equal(["a1"], await b.Ask(view => view.Confirmed.Lines));

            await world.Delay(20_000);
            var sent = world.Network.Counts.Sent;
            await world.Delay(3_600_000);
            Assert.Equal(sent, world.Network.Counts.Sent);
        });
    }

    [Fact]
    public void Of_a_large_state_only_the_version_is_told_and_the_receiver_reads()
    {
        var world = new CasWorld { Options = new() { MaxNotifiedBytes = 0 } };
        var (a, b) = (world.Add(), world.Add());
        world.Run(async () =>
        {
            await b.Do(view => view.RefreshAsync());
            await a.Do(async view =>
            {
                view.Enqueue("a1");
                await view.ConfirmAsync();
            });
            await world.Delay(50);
            Assert.Equal(["a1"], await b.Ask(view => view.Confirmed.Lines));
        });

        Assert.Equal(3, world.Store.Reads);
    }

    [Fact]
    public void Old_repeated_and_unreadable_notifications_change_nothing()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue(["u1", "u2"]);
            await view.ConfirmAsync();
            var stored = await world.Store.Inner.ReadAsync(StoreKey);
            var from = new ClusterId("z");
            await view.ReceiveAsync(from, new CasNotification(1, stored.ETag, stored.Value).Write(), default);
            await view.ReceiveAsync(from, new CasNotification(2, stored.ETag, stored.Value).Write(), default);

            await view.ReceiveAsync(from, new byte[] { 0xff }, default);
            await view.ReceiveAsync(from, new CasNotification(7, new("x"), Encoding.UTF8.GetBytes("junk")).Write(), default);
            await world.Delay(50);
            Assert.Equal(2, view.Version);
            Assert.Equal(["u1", "u2"], view.Confirmed.Lines);
            Assert.Null(view.Issue);
        }));
    }

    [Fact]
    public void A_conditional_update_is_refused_when_another_update_gets_between()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add("a"), world.Add("a"));
        world.Run(async () =>
        {
            await a.Do(view => view.RefreshAsync());
            await b.Do(async view =>
            {
                view.Enqueue("b1");
                await view.ConfirmAsync();
            });
            await a.Do(async view =>
            {
                view.Enqueue("a1");
                var stale = view.TryEnqueueAsync(["a2"]);
                view.Enqueue("a3");
                Assert.False(await stale);
                await view.ConfirmAsync();
                Assert.True(await view.TryEnqueueAsync(["a4"]));
            });
        });

        Assert.Equal(["b1", "a1", "a3", "a4"], world.Stored.Lines);
    }

    [Fact]
    public void Contending_instances_all_make_progress()
    {
        var world = new CasWorld();
        var instances = Enumerable.Range(0, 5).Select(_ => world.Add()).ToList();
        world.Run(() => Task.WhenAll(instances.Select(i => i.Do(async view =>
        {
            for (var n = 0; n < 20; n++)
            {
                view.Enqueue($"{view.InstanceId}-{n}");
                await view.ConfirmAsync();
            }
        }))));

        Assert.Equal(100, world.Stored.Lines.Distinct().Count());
        Assert.Equal(100, world.Stored.Version);

        // One writer alone needs 4 ms a write: contention may cost, but not stop the world.
        Assert.True(world.Scheduler.Time.Elapsed < TimeSpan.FromSeconds(2), $"{world.Scheduler.Time.Elapsed}");
    }

    [Fact]
    public void An_update_that_throws_takes_its_version_and_stops_nothing()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            view.Enqueue("u1");
            view.Enqueue("throws");
            view.Enqueue("u2");
            await view.ConfirmAsync();
            Assert.Equal(3, view.Version);
        }));

        Assert.Equal(["u1", "u2"], world.Stored.Lines);
    }

    [Fact]
    public void Disposing_ends_every_wait_and_all_background_work()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            world.Store.IsUnreachable = true;
            view.Enqueue("u1");
            var confirm = view.ConfirmAsync();
            var decision = view.TryEnqueueAsync(["u2"]);
            await world.Delay(500);
            await view.DisposeAsync();
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => confirm);
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => decision);
            Assert.Throws<ObjectDisposedException>(() => view.Enqueue("u3"));
            var operations = world.Store.Operations;
            await world.Delay(60_000);
            Assert.Equal(operations, world.Store.Operations);
        }));
    }
}
