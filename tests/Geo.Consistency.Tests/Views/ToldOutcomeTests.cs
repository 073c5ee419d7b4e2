using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.Views;

/// <summary>What callers are told of their updates is so, whoever waits and whatever becomes of the updates of others.</summary>
public sealed class ToldOutcomeTests
{
    private const int Long = 3_000;

    public static TheoryData<string> Views => ["stored", "led"];

    public static TheoryData<string, string> Unwritable => new()
    {
        { "stored", CountingSerializer.Unwritable },
        { "led", CountingSerializer.Unwritable },
        { "led", CountingSerializer.Unsendable },
    };

    [Theory]
    [MemberData(nameof(Views))]
    public void Who_may_not_wait_for_his_update_has_queued_none(string kind)
    {
        var world = new ToldWorld(kind, maxWaiters: 1);
        world.Run(async view =>
        {
            world.CutOff();
            view.Enqueue("u1");
            var first = view.ConfirmAsync();
            await Assert.ThrowsAsync<GeoUnavailableException>(() => view.UpdateAsync("u2", ViewUpdate.Confirmed));
            Assert.Equal(["u1"], view.Unconfirmed);
            world.Heal();
            await first;
            await view.UpdateAsync("u2", ViewUpdate.Confirmed);
            Assert.Equal(["u1", "u2"], view.Confirmed.Lines);
        });
    }

    [Theory]
    [MemberData(nameof(Views))]
    public void Who_may_not_wait_for_what_is_queued_is_not_told_that_it_took_no_effect(string kind)
    {
        var world = new ToldWorld(kind, maxWaiters: 1);
        world.Run(async view =>
        {
            world.CutOff();
            using var patience = new CancellationTokenSource();
            var first = view.RefreshAsync(patience.Token);
            view.Enqueue("u1");
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync());
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.RefreshAsync());
            await Assert.ThrowsAsync<GeoUnavailableException>(() => view.ReadAsync(n => n.Lines.Count, ViewRead.Linearizable));
            world.Heal();
            await first;
            await view.ConfirmAsync();

            // A call that raised it, and asks for the latest version when it is confirmed, has had its effect.
            world.CutOff();
            using var again = new CancellationTokenSource();
            var second = view.RefreshAsync(again.Token);
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.RefreshAsync());
            world.Heal();
            await second;
        });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void What_was_taken_out_while_nobody_waited_is_told_to_who_asks_next(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        world.Run(async view =>
        {
            view.Enqueue("u1");
            view.Enqueue(unwritable);
            view.Enqueue("u2");
            await world.Delay(Long);
            Assert.Empty(view.Unconfirmed);

            Assert.Equal(2, (await view.ReadAsync(n => n.Lines.Count, ViewRead.Linearizable)).Value);
            await Assert.ThrowsAsync<GeoSerializationException>(() => view.RefreshAsync());
            await view.RefreshAsync();

            // The refresh may have been another's than who raised it.
            await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync());
            await view.ConfirmAsync();
            await view.RefreshAsync();
            view.Enqueue("u3");
            await view.ConfirmAsync();
            Assert.Equal(["u1", "u2", "u3"], view.Confirmed.Lines);
        });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void Who_gave_up_before_was_not_told_and_all_who_wait_are(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        world.Run(async view =>
        {
            world.CutOff();
            using var patience = new CancellationTokenSource();
            view.Enqueue(unwritable);
            var impatient = view.ConfirmAsync(patience.Token);
            GiveUp(patience);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => impatient);
            world.Heal();
            await world.Delay(2 * Long);
            using var others = new CancellationTokenSource();
            await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync(others.Token));

            world.CutOff();
            view.Enqueue(unwritable);
            Task[] waits = [view.ConfirmAsync(), view.RefreshAsync(), view.ConfirmAsync(others.Token), view.RefreshAsync(others.Token)];
            world.Heal();
            foreach (var wait in waits)
            {
                await Assert.ThrowsAsync<GeoSerializationException>(() => wait);
            }

            await view.ConfirmAsync();
            await view.RefreshAsync();
        });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void A_confirm_tells_of_what_was_taken_out_when_the_others_are_confirmed(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        world.Run(async view =>
        {
            view.Enqueue("u1");
            view.Enqueue(unwritable);
            view.Enqueue("u2");
            await Assert.ThrowsAsync<GeoSerializationException>(() => view.ConfirmAsync());
            Assert.Empty(view.Unconfirmed);
            Assert.Equal(["u1", "u2"], view.Confirmed.Lines);
        });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void One_update_is_not_told_what_became_of_another(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        world.Run(async view =>
        {
            var bad = view.UpdateAsync(unwritable, ViewUpdate.Confirmed);
            var good = view.UpdateAsync("u1", ViewUpdate.Confirmed);
            await Assert.ThrowsAsync<GeoSerializationException>(() => bad);
            Assert.True((await good).IsConfirmed);

            // Who raised it was told, and nobody else need be.
            await view.ConfirmAsync();
            Assert.Equal(["u1"], view.Confirmed.Lines);
        });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void A_sessions_update_that_was_taken_out_does_not_count_as_seen(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        world.Run(async view =>
        {
            var lost = (await view.UpdateAsync(unwritable, ViewUpdate.Queued)).Session;
            var doubtful = (await view.UpdateAsync("u1", ViewUpdate.Queued with { Session = lost })).Session;
            await world.Delay(Long);
            Assert.Empty(view.Unconfirmed);
            foreach (var read in new[] { ViewRead.Confirmed, ViewRead.Tentative, ViewRead.Linearizable })
            {
                await Assert.ThrowsAsync<SessionLostException>(() => view.ReadAsync(n => 0, read with { Session = lost }));
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ReadAsync(n => 0, read with { Session = doubtful }));
            }

            foreach (var update in new[] { ViewUpdate.Queued, ViewUpdate.Confirmed, ViewUpdate.Conditional })
            {
                await Assert.ThrowsAsync<SessionLostException>(() => view.UpdateAsync("u2", update with { Session = lost }));
                Assert.Empty(view.Unconfirmed);
            }

            var goingOn = await view.UpdateAsync("u3", ViewUpdate.Queued with { Session = lost.Without(world.Grain) });
            await world.Delay(Long);
            var read3 = await view.ReadAsync(n => n.Lines.ToArray(), ViewRead.AtLeast(goingOn.Session));
            Assert.Equal(["u1", "u3"], read3.Value);
        });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void Other_clusters_do_not_take_it_for_seen_when_its_instance_has_confirmed_later_ones(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        var (lost, kept) = (SessionToken.None, SessionToken.None);
        world.Run(
            async view =>
            {
                lost = (await view.UpdateAsync(unwritable, ViewUpdate.Queued)).Session;
                await view.UpdateAsync("u1", ViewUpdate.Confirmed);
                kept = (await view.UpdateAsync("u2", ViewUpdate.Queued)).Session;
                await world.Delay(Long);
            },
            afterCrash: async other =>
            {
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => other.ReadAsync(n => 0, ViewRead.AtLeast(lost)));
                var read = await other.ReadAsync(n => n.Lines.ToArray(), ViewRead.AtLeast(kept));
                Assert.Equal(["u1", "u2"], read.Value);
            });
    }

    [Theory]
    [MemberData(nameof(Views))]
    public void A_queued_update_that_is_gone_with_its_instance_does_not_wedge_its_session(string kind)
    {
        var world = new ToldWorld(kind);
        var session = SessionToken.None;
        world.Run(
            async view =>
            {
                world.CutOff();
                session = (await view.UpdateAsync("u1", ViewUpdate.Queued)).Session;
            },
            afterCrash: async other =>
            {
                var before = world.Time.GetTimestamp();
                var read = ViewRead.AtLeast(session) with { Wait = TimeSpan.FromSeconds(2) };
                var unknown = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => other.ReadAsync(n => n.Lines.Count, read));
                Assert.Contains("new token", unknown.Message, StringComparison.Ordinal);
                Assert.Equal(TimeSpan.FromSeconds(2), world.Time.GetElapsedTime(before));
                var update = ViewUpdate.Confirmed with { Session = session, Wait = TimeSpan.FromSeconds(2) };
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => other.UpdateAsync("u2", update));
                Assert.Empty(other.Unconfirmed);
                await other.UpdateAsync("u3", update with { Session = session.Without(world.Grain) });
                Assert.Equal(["u3"], other.Confirmed.Lines);
            });
    }

    [Fact]
    public void An_update_whose_outcome_was_lost_while_nobody_waited_is_told_as_unknown()
    {
        var world = new CasWorld { Options = new() { MaxInstances = 2 } };
        world.Store.Script[1] = Fault.AppliedUnheard;
        var (a, others) = (world.Add("a"), new[] { world.Add("a"), world.Add("a") });
        Task<UpdateOutcome>? later = null;
        world.Run(async () =>
        {
            var session = SessionToken.None;
            await a.Do(async view => { session = (await view.UpdateAsync("u1", ViewUpdate.Queued)).Session; });
            await world.Delay(10);
            await a.Do(view => { later = view.UpdateAsync("u2", ViewUpdate.Confirmed); });
            foreach (var other in others)
            {
                await other.Do(view => view.UpdateAsync("other", ViewUpdate.Confirmed));
            }

            await a.Do(async view =>
            {
                Assert.True((await later!).IsConfirmed);
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ReadAsync(n => 0, ViewRead.AtLeast(session)));
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync());
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(["u1", "other", "other", "u2"], world.Stored.Lines);
    }

    [Fact]
    public void An_update_that_stays_queued_because_the_store_cannot_be_read_is_not_said_to_be_refused()
    {
        var world = new CasWorld();
        var a = world.Add();
        var key = VersionedViews.StoreKeyPrefix + CasWorld.Grain;
        world.Run(() => a.Do(async view =>
        {
            await world.Store.Inner.WriteAsync(key, new byte[] { 9, 9, 9 }, null);
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.UpdateAsync("u1", ViewUpdate.Confirmed));
            Assert.Equal(["u1"], view.Unconfirmed);
            var row = await world.Store.Inner.ReadAsync(key);
            await world.Store.Inner.DeleteAsync(key, row.ETag!.Value);
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1"], world.Stored.Lines);
    }

    [Fact]
    public void A_refresh_for_another_instance_does_not_hide_what_was_taken_out()
    {
        var world = new CasWorld();
        var a = world.Add();
        byte[] refresh = [(byte)CasMessage.Refresh, 0];
        world.Run(() => a.Do(async view =>
        {
            await view.UpdateAsync("a1", ViewUpdate.Confirmed);
            view.Enqueue(CountingSerializer.Unwritable);
            var own = view.RefreshAsync();
            var guest = view.ReceiveAsync(new("z"), refresh, default).AsTask();
            await Assert.ThrowsAsync<GeoSerializationException>(() => own);
            Assert.Equal(HandInAnswer.Written, (HandInAnswer)(await guest).Span[0]);
        }));
    }

    [Fact]
    public void A_view_that_breaks_leaves_nobody_waiting_and_says_that_nothing_is_known()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            a.Listener.WhenConfirmed = () => throw new InvalidOperationException("as the test says");
            view.Enqueue("u1");
            await world.Delay(1);
            var conditional = view.TryEnqueueAsync(["u2"]);
            var one = view.UpdateAsync("u3", ViewUpdate.Confirmed);
            var confirm = view.ConfirmAsync();
            await Task.WhenAny(Task.WhenAll(conditional, one, confirm), world.Delay(60_000));
            Assert.All<Task>(
                [conditional, one, confirm], task => Assert.IsType<GeoOutcomeUnknownException>(task.Exception?.InnerException));
            a.Listener.WhenConfirmed = null;
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1", "u2", "u3"], world.Stored.Lines);
    }

    [Fact]
    public void An_update_that_the_leader_may_have_and_that_cannot_be_sent_again_is_not_said_to_be_in_no_version()
    {
        var world = new LeaderWorld("a", "a", "b") { Confirmation = UpdateConfirmation.Leader };
        world.Add("a");
        var b = world.Add("b");
        world.Run(async () =>
        {
            await b.Do(view => view.RefreshAsync());
            world.Cut("a", "b");
            await b.Do(view => view.Enqueue("b1"));
            await world.Delay(500);
            b.Serializer.RefusesAll = true;
            world.Network.Heal();
            await b.Do(view => Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync()));
        });

        Assert.Equal(["b1"], world["a"].View.Confirmed.Lines);
    }

    private static void GiveUp(CancellationTokenSource patience) => patience.Cancel();
}
