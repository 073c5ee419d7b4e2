using Geo.Consistency.Tests.Kit;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Sessions;

public sealed class SessionReadTests
{
    private static readonly string[] Three = ["a", "b", "c"];

    [Fact]
    public void A_read_says_version_age_and_cluster_and_an_age_is_not_exceeded()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            await world["b"].Do(view => view.RefreshAsync());
            world.Cut("a", "b");
            await world["a"].Do(view => view.UpdateAsync("a1", ViewUpdate.Confirmed));
            await world.Delay(1_900);
            var read = await Read(world, "b", ViewRead.NoOlderThan(TimeSpan.FromSeconds(3)));
            Assert.Equal((0, 0, new ClusterId("b")), (read.Value, read.Version, read.Cluster));
            Assert.InRange(read.Age!.Value, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(2.1));
            await Assert.ThrowsAsync<GeoUnavailableException>(() => Read(
                world, "b", ViewRead.NoOlderThan(TimeSpan.FromSeconds(1)) with { OnMiss = SessionMiss.Throw }));
            await Assert.ThrowsAsync<GeoUnavailableException>(() => Read(
                world, "b", ViewRead.NoOlderThan(TimeSpan.FromSeconds(1)) with { Wait = TimeSpan.FromSeconds(1) }));
            world.Network.Heal();
            Assert.Equal(1, (await Read(world, "b", ViewRead.NoOlderThan(TimeSpan.FromSeconds(1)))).Version);
        });
    }

    /// <summary>The goal of local operations, 300 B, holds for reads that say how new they are, too, without a session.</summary>
    [Fact]
    public void A_local_read_that_says_how_new_it_is_allocates_little()
    {
        var led = Started(UpdateConfirmation.Leader);
        var stored = new CasWorld();
        var instance = stored.Add();
        led.Run(async () =>
        {
            await led["a"].Do(view => view.UpdateAsync("a1", ViewUpdate.Confirmed));
            await led["a"].Do(AssertLittleAsync);
        });
        stored.Run(async () =>
        {
            await instance.Do(view => view.UpdateAsync("a1", ViewUpdate.Confirmed));
            await instance.Do(AssertLittleAsync);
        });

        static Task AssertLittleAsync(IVersionedView<Notes, string> view)
        {
            const int Reads = 1_000;
            var hasEnded = HasEnded();
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < Reads; i++)
            {
                hasEnded &= HasEnded();
            }

            var each = (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Reads;
            Assert.True(each <= 300 && hasEnded, $"{each} B");
            return Task.CompletedTask;

            bool HasEnded() => view.ReadAsync(static notes => notes.Lines.Count, ViewRead.Confirmed).IsCompletedSuccessfully;
        }
    }

    [Theory]
    [InlineData(SessionMiss.Wait)]
    [InlineData(SessionMiss.Forward)]
    [InlineData(SessionMiss.Throw)]
    public void What_a_session_wrote_is_waited_for_asked_for_or_refused(SessionMiss onMiss)
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            var written = await Update(world, "a", "a1", ViewUpdate.Confirmed);
            Assert.True(written is { IsConfirmed: true, IsRefused: false, Version: 1 });
            var before = world.Scheduler.Time.Elapsed;
            var reading = Read(world, "b", ViewRead.AtLeast(written.Session) with { OnMiss = onMiss });
            if (onMiss == SessionMiss.Throw)
            {
                await Assert.ThrowsAsync<GeoUnavailableException>(() => reading);
                return;
            }

            Assert.Equal(1, (await reading).Version);
            Assert.True(world.Scheduler.Time.Elapsed - before <= TimeSpan.FromMilliseconds(100));
        });
    }

    [Fact]
    public void An_unconfirmed_update_is_seen_at_once_where_it_was_made_and_elsewhere_when_it_is_confirmed()
    {
        var world = Started(UpdateConfirmation.Replicated);
        world.Run(async () =>
        {
            world.Network.Isolate(new("b"));
            var written = await Update(world, "b", "b1", ViewUpdate.Queued);
            Assert.Equal((false, 0), (written.IsConfirmed, written.Version));
            Assert.Equal(1, (await Read(world, "b", ViewRead.Tentative with { Session = written.Session })).Value);
            foreach (var cluster in Three)
            {
                // Who has it queued knows that it is; the others know the latest version, and that it is not part of that.
                await Assert.ThrowsAsync(
                    cluster == "b" ? typeof(GeoUnavailableException) : typeof(GeoOutcomeUnknownException),
                    () => Read(world, cluster, ViewRead.AtLeast(written.Session) with { Wait = TimeSpan.FromSeconds(1) }));
            }

            var reading = Read(world, "c", ViewRead.AtLeast(written.Session));
            world.Network.Heal();
            var read = await reading;
            Assert.Equal(1, read.Version);
            Assert.All(read.Session.Of(SessionMark.HashOf(LeaderWorld.Grain)), m => Assert.Equal(SessionMarkKind.Led, m.Kind));
        });
    }

    [Fact]
    public void What_was_lost_with_the_leaders_memory_is_said_to_be_lost()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            await Update(world, "a", "a1", ViewUpdate.Confirmed);
            await world.Delay(500);
            world.Network.Isolate(new("a"));
            var written = await Update(world, "a", "a2", ViewUpdate.Confirmed);
            world.Crash("a");
            world.Network.Heal();
            world.Add("a");
            var later = await Update(world, "b", "b1", ViewUpdate.Confirmed);
            var both = written.Session.After(SessionToken.None, later.Session);
            foreach (var cluster in Three)
            {
                await Assert.ThrowsAsync<SessionLostException>(() => Read(world, cluster, ViewRead.AtLeast(written.Session)));
                await Assert.ThrowsAsync<SessionLostException>(() => Read(world, cluster, ViewRead.AtLeast(both)));
                var goingOn = ViewRead.Linearizable with { Session = written.Session.Without(LeaderWorld.Grain) };
                Assert.Equal(2, (await Read(world, cluster, goingOn)).Value);
            }
        });
    }

    [Fact]
    public void Of_an_unconfirmed_update_whose_number_may_have_made_room_nobody_says_that_it_is_seen()
    {
        var world = Started(UpdateConfirmation.Leader, new() { MaxInstances = 2 });
        world.Run(async () =>
        {
            world.Network.Isolate(new("b"));
            var written = await Update(world, "b", "b1", ViewUpdate.Queued);
            foreach (var cluster in Three.Where(c => c != "b").Append("c"))
            {
                await Update(world, cluster, cluster, ViewUpdate.Confirmed);
                await world.DeactivateAsync(cluster);
                world.Activate(cluster);
            }

            var before = world.Scheduler.Time.Elapsed;
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => Read(
                world, "c", ViewRead.AtLeast(written.Session) with { Wait = TimeSpan.FromSeconds(1) }));
            Assert.Equal(TimeSpan.FromSeconds(1), world.Scheduler.Time.Elapsed - before);
        });
    }

    [Fact]
    public void A_grain_of_which_a_full_token_names_unconfirmed_updates_alone_is_read_linearizably()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add("a"), world.Add("b"));
        world.Run(async () =>
        {
            var (queued, confirmed) = (SessionToken.None, SessionToken.None);
            await a.Do(async view =>
            {
                queued = (await view.UpdateAsync("a1", ViewUpdate.Queued)).Session;
                await view.ConfirmAsync();
            });
            await b.Do(view => view.RefreshAsync());
            world.Network.Isolate(new("b"));
            await a.Do(async view => confirmed = (await view.UpdateAsync("a2", ViewUpdate.Confirmed)).Session);
            var token = queued.Merge(confirmed);
            for (var grain = 1UL; grain <= 9; grain++)
            {
                token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Stored(grain, 1_000_000)));
            }

            Assert.All(token.Of(SessionMark.HashOf(CasWorld.Grain)), m => Assert.True(m.IsPending));
            await b.Do(async view =>
            {
                Assert.Equal(1, view.Version);
                Assert.Equal(2, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(token))).Value);
            });
        });
    }

    [Fact]
    public void A_grain_that_a_full_token_does_not_name_is_read_linearizably()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            var token = SessionToken.None;
            for (var grain = 1UL; grain <= 9; grain++)
            {
                token = token.Replace(grain, SessionMark.Stored(grain, 1_000_000));
            }

            world.Cut("a", "b");
            await Update(world, "a", "a1", ViewUpdate.Confirmed);
            world.Network.Heal();
            await Update(world, "a", "a2", ViewUpdate.Confirmed);
            Assert.Equal(2, (await Read(world, "b", ViewRead.AtLeast(token))).Version);
        });
    }

    [Fact]
    public void One_update_is_waited_for_and_none_after_it()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            var first = Update(world, "b", "b1", ViewUpdate.Confirmed);
            await world.Delay(20);
            await world["b"].Do(view => view.Enqueue("b2"));
            Assert.Equal(1, (await first).Version);
            Assert.Single(world["b"].View.Unconfirmed);
        });
    }

    [Fact]
    public void A_conditional_update_says_that_it_was_refused_and_what_came_between()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            await world["b"].Do(view => view.RefreshAsync());
            world.Cut("a", "b");
            await Update(world, "a", "a1", ViewUpdate.Confirmed);
            var refused = Update(world, "b", "b1", ViewUpdate.Conditional);
            world.Network.Heal();
            Assert.True(await refused is { IsRefused: true, IsConfirmed: false, Version: 1 });
            Assert.True(await Update(world, "b", "b2", ViewUpdate.Conditional) is { IsRefused: false, IsConfirmed: true, Version: 2 });
        });
    }

    [Fact]
    public void The_confirmed_versions_come_in_their_order_until_the_view_ends()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            var seen = new List<long>();
            var following = world["b"].Do(async view =>
            {
                await foreach (var version in view.VersionsAsync(notes => notes.Lines.Count))
                {
                    Assert.Equal(version.Version, version.Value);
                    seen.Add(version.Version);
                }
            });
            for (var i = 0; i < 5; i++)
            {
                await Update(world, Three[i % 3], $"{i}", ViewUpdate.Confirmed);
                await world.Delay(200);
            }

            await world.DeactivateAsync("b");
            await Assert.ThrowsAsync<ObjectDisposedException>(() => following);
            Assert.Equal([0, 1, 2, 3, 4, 5], seen);
        });
    }

    [Fact]
    public async Task A_local_view_is_always_the_latest_and_another_instance_knows_that_the_first_is_gone()
    {
        await using var first = Local(1);
        await using var second = Local(2);
        var written = await first.UpdateAsync("u1", ViewUpdate.Queued, TestContext.Current.CancellationToken);
        Assert.True(written is { IsConfirmed: true, Version: 1 });
        var read = await first.ReadAsync(
            n => n.Lines.Count, ViewRead.AtLeast(written.Session) with { MaxAge = TimeSpan.Zero }, TestContext.Current.CancellationToken);
        Assert.Equal((1, TimeSpan.Zero), (read.Value, read.Age));
        await Assert.ThrowsAsync<SessionLostException>(() => second.ReadAsync(
            n => n.Lines.Count, ViewRead.AtLeast(written.Session), TestContext.Current.CancellationToken));
    }

    [Fact]
    public void What_became_part_of_a_version_before_an_update_that_could_not_be_written_is_seen_elsewhere()
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            var early = await Update(world, "b", "b1", ViewUpdate.Queued);
            await world.Delay(500);
            await Update(world, "b", CountingSerializer.Unwritable, ViewUpdate.Queued);
            await world.Delay(500);
            await Update(world, "b", "b2", ViewUpdate.Queued);
            await world.Delay(500);
            Assert.Equal(2, (await Read(world, "c", ViewRead.AtLeast(early.Session))).Version);
        });
    }

    [Theory]
    [InlineData(SessionMiss.Wait)]
    [InlineData(SessionMiss.Forward)]
    [InlineData(SessionMiss.Throw)]
    public void A_session_of_before_the_leaders_that_are_remembered_hears_so_at_once(SessionMiss onMiss)
    {
        var world = Started(UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            var written = await Update(world, "a", "a1", ViewUpdate.Confirmed);
            for (var i = 0; i <= ReplicaLog.MaxStarts; i++)
            {
                var (lane, exchange) = world.Exchanges[Three.First(c => world.Memory(c)?.Leadership is not null)];
                await lane.RunAsync(exchange.HandOverAsync);
                await Update(world, "a", $"{i}", ViewUpdate.Confirmed);
            }

            await world["c"].Do(view => view.RefreshAsync());
            var before = world.Scheduler.Time.Elapsed;
            var unknown = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
                () => Read(world, "c", ViewRead.AtLeast(written.Session) with { OnMiss = onMiss }));
            Assert.Contains("leaders", unknown.Message, StringComparison.Ordinal);
            Assert.Equal(before, world.Scheduler.Time.Elapsed);
        });
    }

    private static LeaderWorld Started(UpdateConfirmation confirmation, VersionedLeaderOptions? options = null)
    {
        var world = new LeaderWorld("a", Three) { Confirmation = confirmation, Options = options ?? new() };
        Array.ForEach(Three, c => world.Add(c));
        world.Run(async () =>
        {
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
            await world.Delay(1_000);
        });
        return world;
    }

    private static LocalView<Notes, string> Local(int seed) => new(
        new("notes", "1"), new NotesModel(), new("a"),
        new(new CountingSerializer(), _ => throw new InvalidOperationException(), TimeProvider.System, new Random(seed),
            NullLoggerFactory.Instance),
        null);

    private static async Task<Versioned<int>> Read(LeaderWorld world, string cluster, ViewRead read)
    {
        var instance = world[cluster];
        return await instance.Lane.RunAsync(() => instance.View.ReadAsync(notes => notes.Lines.Count, read));
    }

    private static async Task<UpdateOutcome> Update(LeaderWorld world, string cluster, string update, ViewUpdate how)
    {
        var instance = world[cluster];
        return await instance.Lane.RunAsync(() => instance.View.UpdateAsync(update, how));
    }
}
