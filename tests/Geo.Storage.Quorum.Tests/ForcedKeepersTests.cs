using Geo.Directory;

namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// Clusters that are lost for ever are given up by force where no majority is left (rule C13). One file, for each is a schedule of the same
/// few steps.
/// </summary>
public sealed class ForcedKeepersTests
{
    private static readonly ClusterId Africa = new("africa"), Oceania = new("oceania");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void Of_two_clusters_one_goes_on_with_all_that_was_confirmed()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            var eu = Open(bench, RegisterBench.Eu);
            var written = await eu.WriteAsync("k", new byte[3], null);
            bench.Close(RegisterBench.Eu);
            Assert.Equal(StoreReadOutcome.Unknown, (await us.ReadAsync("k")).Outcome);
            var stuck = await Assert.ThrowsAsync<GeoUnavailableException>(() => us.RemoveKeeperAsync(RegisterBench.Eu, Stop));
            Assert.Contains(nameof(us.ForceRemoveKeepersAsync), stuck.Message, StringComparison.Ordinal);

            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop);
            Assert.Equal(3, forced.Version);
            Assert.Contains("[us] keep the store. [eu] count no more. Nothing that was confirmed is lost.", forced.Message);
            Assert.Contains("make sure that none of their silos runs", forced.Message, StringComparison.Ordinal);
            var read = await us.ReadAsync("k");
            Assert.Equal((3, written.ETag), (read.Value.Length, read.ETag));
            Assert.Equal(StoreWriteOutcome.Applied, (await us.WriteAsync("k", new byte[4], read.ETag)).Outcome);
            Assert.Equal(["k"], await us.ListAsync("", Stop).Select(e => e.Key).ToListAsync(Stop));
            Assert.True((await us.SweepAsync()).IsComplete);
            var now = await us.DescribeKeepersAsync(Stop);
            Assert.Equal((3L, 1, true), (now.Version, now.Clusters.Count, now.IsSettled));

            // Asked again, as one does who has not heard what became of it.
            Assert.Equal(3, (await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop)).Version);
        });
    }

    [Fact]
    public void Nobody_is_served_before_leases_that_a_lost_cluster_may_hold_have_run_out()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Options = bench.Options with { OperationTimeout = TimeSpan.FromMinutes(1), ForcedWait = TimeSpan.FromSeconds(20) };
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            var (client, _) = bench.Client("client");
            var written = await client.WriteAsync("k", new byte[3], null);
            bench.Close(RegisterBench.Eu);
            var began = bench.Time.Elapsed;
            Task[] under = [us.ReadAsync("k").AsTask(), client.WriteAsync("k", new byte[4], written.ETag).AsTask()];
            var forced = us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop);
            await Task.WhenAny(under);
            Assert.InRange((bench.Time.Elapsed - began).TotalSeconds, 20, 30);
            await Task.WhenAll(under);
            Assert.Equal(4, (await us.ReadAsync("k")).Value.Length);
            Assert.True((await forced).IsMade);
        });
    }

    [Fact]
    public void What_is_not_lost_is_not_given_up()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            await RefusedAsync(us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop), "may not have begun");
            Open(bench, RegisterBench.Eu);
            Open(bench, RegisterBench.Asia);
            Open(bench, Africa);
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(Africa);
            await RefusedAsync(us.ForceRemoveKeepersAsync([Africa], Stop), "a majority answers, [asia, eu, us]");
            bench.Close(RegisterBench.Asia);
            await RefusedAsync(us.ForceRemoveKeepersAsync([], Stop), "no cluster is named");
            await RefusedAsync(us.ForceRemoveKeepersAsync([Oceania], Stop), "oceania does not keep the store");
            await RefusedAsync(us.ForceRemoveKeepersAsync([RegisterBench.Eu, RegisterBench.Asia, Africa], Stop), "cluster eu answers");
            await RefusedAsync(us.ForceRemoveKeepersAsync([Africa], Stop), "cluster asia does not answer");
            await RefusedAsync(us.ForceRemoveKeepersAsync([Africa], Stop), "name it together with the others");
            Assert.Equal(3, (await us.ForceRemoveKeepersAsync([Africa, RegisterBench.Asia], Stop)).Version);
        });
    }

    [Fact]
    public void Survivors_that_are_asked_at_the_same_time_go_on_as_one()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa, Oceania);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            var eu = Open(bench, RegisterBench.Eu);
            ClusterId[] lost = [Oceania, RegisterBench.Asia, Africa];
            Array.ForEach(lost, c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            Array.ForEach(lost, bench.Close);
            var forced = await Task.WhenAll(us.ForceRemoveKeepersAsync(lost, Stop), eu.ForceRemoveKeepersAsync([.. lost.Reverse()], Stop));
            Assert.All(forced, f => Assert.Equal(3, f.Version));
            Assert.All(forced, f => Assert.Contains("What they alone had confirmed is gone", f.Message, StringComparison.Ordinal));
            Assert.Equal(
                await RegisterBench.DigestAsync(bench.DiskOf(RegisterBench.Us)),
                await RegisterBench.DigestAsync(bench.DiskOf(RegisterBench.Eu)));
            var written = await eu.WriteAsync("k", new byte[2], (await us.ReadAsync("k")).ETag);
            Assert.Equal(written.ETag, (await us.ReadAsync("k")).ETag);
        });
    }

    [Fact]
    public void Two_that_give_each_other_up_are_two_registers_for_ever()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            var eu = Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Network.Isolate(RegisterBench.Us);
            Assert.True((await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop)).IsMade);
            Assert.True((await eu.ForceRemoveKeepersAsync([RegisterBench.Us], Stop)).IsMade);
            bench.Network.Heal();
            await us.WriteAsync("k", new byte[2], (await us.ReadAsync("k")).ETag);
            await us.SweepAsync();
            await eu.SweepAsync();
            Assert.Equal((2, 1), ((await us.ReadAsync("k")).Value.Length, (await eu.ReadAsync("k")).Value.Length));
            await RefusedAsync(us.AddKeeperAsync(RegisterBench.Eu, Stop), "not empty");
            await RefusedAsync(us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop), "[us] go on by themselves, and [eu] keep another");
            await RefusedAsync(eu.ForceRemoveKeepersAsync([RegisterBench.Us], Stop), "[eu] go on by themselves, and [us] keep another");
        });
    }

    [Fact]
    public void One_that_returns_decides_nothing_and_may_be_taken_in_again()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            var eu = Open(bench, RegisterBench.Eu);
            var (writer, way) = bench.Client("writer");
            var first = await writer.WriteAsync("k", new byte[1], null);
            var old = await RegisterBench.DigestAsync(bench.DiskOf(RegisterBench.Eu));
            bench.Network.Isolate(RegisterBench.Us);
            (way.Hears, way.Passes) = (false, (to, _) => to != RegisterBench.Us);
            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu, new("writer")], Stop);
            Assert.True(forced.IsMade, forced.Message);
            var second = await us.WriteAsync("k", new byte[2], (await us.ReadAsync("k")).ETag);
            Assert.Equal(StoreWriteOutcome.Applied, second.Outcome);

            // By itself it is no majority, and with those that went on neither: each answers by its own list.
            Assert.Equal(StoreWriteOutcome.Unknown, (await eu.WriteAsync("k", new byte[3], first.ETag)).Outcome);
            Assert.Equal(StoreWriteOutcome.Unknown, (await writer.WriteAsync("k", new byte[3], first.ETag)).Outcome);
            var ballot = new Ballot(1, long.MaxValue, 1);
            var answer = await bench.Silo(RegisterBench.Us, bench.DiskOf(RegisterBench.Us))
                .AnswerAsync(old, new PrepareRequest("k", ballot, WantsFloor: false), Stop);
            Assert.Equal([RegisterBench.Us], Assert.IsType<MetReply>(answer).Kept!.Stores.Keys);
            way.Passes = (_, _) => true;
            bench.Network.Heal();
            Assert.Equal(StoreWriteOutcome.Conflict, (await writer.WriteAsync("k", new byte[3], first.ETag)).Outcome);
            Assert.Equal(StoreWriteOutcome.Conflict, (await eu.WriteAsync("k", new byte[3], first.ETag)).Outcome);
            Assert.Equal(second.ETag, (await eu.ReadAsync("k")).ETag);

            Assert.True((await us.AddKeeperAsync(RegisterBench.Eu, Stop)).IsMade);
            Assert.True((await us.SweepAsync()).IsComplete);
            Assert.Equal(second.ETag, (await eu.ReadAsync("k")).ETag);
            Assert.Equal([RegisterBench.Eu, RegisterBench.Us], eu.Keepers);
        });
    }

    [Fact]
    public void A_change_whose_process_dies_is_carried_on_by_a_sweep()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Eu);
            var (driver, way) = bench.Client("driver");

            // It tells those that are left, and can do no more.
            way.Passes = (_, request) => request is MeetRequest or FoundRequest;
            await Assert.ThrowsAsync<GeoUnavailableException>(() => driver.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop));
            Assert.Equal(StoreReadOutcome.Unknown, (await us.ReadAsync("k")).Outcome);
            var unlisted = await Assert.ThrowsAsync<GeoUnavailableException>(
                () => us.ListAsync("", Stop).ToListAsync(Stop).AsTask().WaitAsync(TimeSpan.FromMinutes(1), bench.Time, Stop));
            Assert.Contains("given up by force", unlisted.Message, StringComparison.Ordinal);
            await us.SweepAsync();
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
            Assert.Equal([RegisterBench.Us], us.Keepers);
        });
    }

    [Fact]
    public void A_survivor_that_is_lost_before_all_is_through_is_given_up_as_well()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            ClusterId[] others = [RegisterBench.Eu, RegisterBench.Asia, Africa];
            Array.ForEach(others, c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Asia);
            bench.Close(Africa);
            var (driver, way) = bench.Client("driver");
            way.Passes = (_, request) => request is MeetRequest or FoundRequest;
            await Assert.ThrowsAsync<GeoUnavailableException>(
                () => driver.ForceRemoveKeepersAsync([RegisterBench.Asia, Africa], Stop));
            bench.Close(RegisterBench.Eu);
            await RefusedAsync(us.ForceRemoveKeepersAsync([RegisterBench.Asia, Africa], Stop), "[eu] do not answer");
            var forced = await us.ForceRemoveKeepersAsync([.. others], Stop);
            Assert.True(forced.IsMade, forced.Message);

            // What eu had confirmed with the two alone, though they were no more than half.
            Assert.Contains("confirmed is gone, what a survivor alone", forced.Message, StringComparison.Ordinal);
            var again = await us.ForceRemoveKeepersAsync([.. others, new("typo")], Stop);
            Assert.Contains("[us] keep the store. [eu, asia, africa, typo] do not", again.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("confirmed is lost", again.Message, StringComparison.Ordinal);
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);

            // The first of the three lists is known to be over, too.
            bench.Open(Africa, bench.DiskOf(Africa));
            Assert.True((await us.AddKeeperAsync(Africa, Stop)).IsMade);
        });
    }

    [Fact]
    public void A_store_that_is_lost_with_running_silos_is_given_up()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Eu);
            Open(bench, RegisterBench.Eu);
            Assert.True((await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop)).IsMade);
            Assert.True((await us.AddKeeperAsync(RegisterBench.Eu, Stop)).IsMade);
            Assert.Equal([RegisterBench.Eu, RegisterBench.Us], us.Keepers);
        });
    }

    [Fact]
    public void A_silo_that_starts_after_the_loss_can_force()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Eu);
            bench.Close(RegisterBench.Us);
            us = bench.Open(RegisterBench.Us, bench.DiskOf(RegisterBench.Us));
            Assert.True((await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop)).IsMade);
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void Lost_clusters_that_live_and_have_gone_on_are_overruled_when_they_meet() =>
        Assert.Equal((2, 2, StoreWriteOutcome.Conflict), LostOnesGoOn(goneOn: 3));

    [Fact]
    public void So_are_those_that_have_changed_more_often() =>
        Assert.Equal((2, 2, StoreWriteOutcome.Conflict), LostOnesGoOn(goneOn: 5));

    [Fact]
    public void They_would_take_back_what_was_confirmed_if_survivors_were_no_other_register() =>
        Assert.Equal(
            (3, 3, StoreWriteOutcome.Applied), LostOnesGoOn(goneOn: 5, null, ProtocolRule.ForcedListIsAnotherRegister));

    [Theory]
    [InlineData(5)]
    [InlineData(6)]
    public void One_that_comes_from_a_higher_version_is_taken_in_again_and_serves(int goneOn) =>
        Assert.Equal(
            (2, 2, StoreWriteOutcome.Conflict),
            LostOnesGoOn(goneOn, async (us, eu, _) =>
            {
                foreach (var back in new[] { RegisterBench.Asia, Africa })
                {
                    var added = await us.AddKeeperAsync(back, Stop);
                    Assert.True(added.IsMade, added.Message);
                    Assert.Equal((2, 2), ((await us.ReadAsync("k")).Value.Length, (await eu.ReadAsync("k")).Value.Length));
                    var written = await eu.WriteAsync("new in " + back, new byte[1], null);
                    Assert.Equal((StoreWriteOutcome.Applied, ""), (written.Outcome, written.Reason ?? ""));
                }
            }));

    [Fact]
    public void A_silo_there_that_works_with_the_list_from_before_overwrites_nothing() =>
        Assert.Equal(
            (2, 2, StoreWriteOutcome.Conflict),
            LostOnesGoOn(5, async (us, eu, late) =>
            {
                var added = await us.AddKeeperAsync(RegisterBench.Asia, Stop);
                Assert.True(added.IsMade, added.Message);
                Assert.IsType<RefusedReply>(await late());
                Assert.Equal(6, added.Version);
                added = await us.AddKeeperAsync(Africa, Stop);
                Assert.True(added.IsMade, added.Message);
                Assert.Equal((2, 2), ((await us.ReadAsync("k")).Value.Length, (await eu.ReadAsync("k")).Value.Length));
            }));

    [Fact]
    public void Who_knows_a_later_list_is_named_before_the_others_are_given_up()
    {
        var bench = Bench(RegisterBench.Clusters);
        bench.Run(async () =>
        {
            foreach (var cluster in RegisterBench.Clusters)
            {
                Open(bench, cluster);
            }

            // us is down while africa comes, and eu and asia are lost for ever before it is back.
            var africa = Open(bench, Africa);
            var written = await africa.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Us);
            Assert.True((await africa.AddKeeperAsync(Africa, Stop)).IsMade);
            written = await africa.WriteAsync("k", new byte[2], written.ETag);
            Assert.Equal(StoreWriteOutcome.Applied, written.Outcome);
            bench.Close(RegisterBench.Eu);
            bench.Close(RegisterBench.Asia);
            bench.Network.Cut(RegisterBench.Us, Africa);
            bench.Network.Cut(Africa, RegisterBench.Us);
            var us = bench.Open(RegisterBench.Us, bench.DiskOf(RegisterBench.Us));
            ClusterId[] lost = [RegisterBench.Eu, RegisterBench.Asia];
            await RefusedAsync(us.ForceRemoveKeepersAsync(lost, Stop), "[africa] do not answer");

            bench.Network.Heal();
            Assert.True((await us.ForceRemoveKeepersAsync(lost, Stop)).IsMade);
            Assert.Equal([Africa, RegisterBench.Us], us.Keepers);
            Assert.Equal(written.ETag, (await us.ReadAsync("k")).ETag);
        });
    }

    [Fact]
    public void A_cluster_that_does_not_use_the_store_is_not_waited_for()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Eu);
            bench.Link(new("nobody"));
            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop);
            Assert.True(forced.IsMade, forced.Message);
        });
    }

    [Fact]
    public void A_cluster_with_other_settings_of_the_store_is_told_apart_from_one_that_does_not_answer()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Configuration = new(1, RegisterBench.Clusters);
            Open(bench, RegisterBench.Asia);
            bench.Close(RegisterBench.Eu);
            await RefusedAsync(us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop), "Refused: [asia] have other settings of the store");
            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu, RegisterBench.Asia], Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void Survivors_that_were_told_of_different_losses_go_on_as_one_when_they_are_asked_again()
    {
        var arctic = new ClusterId("arctic");
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa, Oceania, arctic);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            ClusterId[] lost = [Africa, Oceania, arctic];
            Array.ForEach([RegisterBench.Eu, RegisterBench.Asia, .. lost], c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            Array.ForEach(lost, bench.Close);

            // One takes asia for lost, too, and tells us; the other has asked before, and tells asia and eu: neither list has all its own.
            var (more, far) = bench.Client("more");
            var (fewer, near) = bench.Client("fewer");
            far.Passes = (to, request) => to != RegisterBench.Asia
                && (request is MeetRequest || (request is FoundRequest found && (!found.Stores.IsForced || to == RegisterBench.Us)));
            near.Passes = (to, request) => request is MeetRequest
                || (request is FoundRequest found && (!found.Stores.IsForced || to != RegisterBench.Us));
            var (isTelling, isToTell) = (new TaskCompletionSource(), new TaskCompletionSource());
            near.SetsOut = (_, request) =>
            {
                if (request is not FoundRequest { Stores.IsForced: true })
                {
                    return Task.CompletedTask;
                }

                isTelling.TrySetResult();
                return isToTell.Task;
            };
            var second = fewer.ForceRemoveKeepersAsync(lost, Stop);
            await isTelling.Task;
            near.Hears = false;
            await Assert.ThrowsAsync<GeoUnavailableException>(
                async () => Assert.Fail((await more.ForceRemoveKeepersAsync([RegisterBench.Asia, .. lost, new("fewer")], Stop)).Message));
            isToTell.SetResult();
            await Assert.ThrowsAsync<GeoUnavailableException>(async () => Assert.Fail((await second).Message));
            Assert.Equal(StoreReadOutcome.Unknown, (await us.ReadAsync("k")).Outcome);

            near.Hears = true;
            far.Passes = (_, _) => true;
            await RefusedAsync(us.ForceRemoveKeepersAsync([RegisterBench.Asia], Stop), "cluster asia answers");
            var forced = await us.ForceRemoveKeepersAsync(lost, Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Contains("[asia, eu, us] keep the store.", forced.Message, StringComparison.Ordinal);
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
            Assert.Equal(1, (await more.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void A_forced_list_that_all_of_its_clusters_keep_is_joined_with_no_other()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);

            // Each is told that the other is lost, by one that can do no more.
            bench.Network.Isolate(RegisterBench.Eu);
            await TellAsync("first", RegisterBench.Eu);
            bench.Network.Heal();
            bench.Network.Isolate(RegisterBench.Us);
            await TellAsync("second", RegisterBench.Us, new("first"));
            bench.Network.Heal();
            await RefusedAsync(
                us.ForceRemoveKeepersAsync([new("first"), new("second")], Stop), "[us] go on by themselves, and [eu");

            // The first of them, which all of its clusters keep, was carried on all the same.
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);

            async Task TellAsync(string by, params ClusterId[] lost)
            {
                var (driver, way) = bench.Client(by);
                way.Passes = (to, request) => !lost.Contains(to) && request is MeetRequest or FoundRequest;
                await Assert.ThrowsAsync<GeoUnavailableException>(
                    async () => Assert.Fail((await driver.ForceRemoveKeepersAsync(lost, Stop)).Message));
            }
        });
    }

    // us is cut off from eu and asia, which take it out, change who keeps the store up to a version, and write. us gives them up, and
    // writes; so does asia, later, which is promised the ballot of its next write, above all that us has. Then all meet.
    // What us and eu read, and what becomes of asia's next write. Another silo of asia has answered by the list from before, and what came
    // under way from it to that one may arrive afterwards.
    private static (int Us, int Eu, StoreWriteOutcome Asia) LostOnesGoOn(
        int goneOn, Func<QuorumConditionalStore, QuorumConditionalStore, Func<ValueTask<QuorumReply?>>, Task>? after = null,
        params ProtocolRule[] without)
    {
        var bench = Bench(RegisterBench.Clusters);
        var end = (0, 0, StoreWriteOutcome.Unknown);
        bench.Run(
            async () =>
            {
                var stores = RegisterBench.Clusters.Select(c => Open(bench, c)).ToArray();
                var (us, eu, asia) = (stores[0], stores[1], stores[2]);
                Open(bench, Africa);
                await us.WriteAsync("k", new byte[1], null);
                bench.Network.Isolate(RegisterBench.Us);
                Assert.True((await asia.RemoveKeeperAsync(RegisterBench.Us, Stop)).IsMade);
                for (var version = 3; version <= goneOn; version++)
                {
                    var change = version % 2 == 1 ? asia.AddKeeperAsync(Africa, Stop) : asia.RemoveKeeperAsync(Africa, Stop);
                    Assert.Equal(version, (await change).Version);
                }

                var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu, RegisterBench.Asia, Africa], Stop);
                Assert.True(forced.IsMade, forced.Message);
                var ours = await us.WriteAsync("k", new byte[2], (await us.ReadAsync("k")).ETag);
                Assert.Equal(StoreWriteOutcome.Applied, ours.Outcome);
                await Task.Delay(TimeSpan.FromSeconds(1), bench.Time);
                var theirs = await asia.WriteAsync("k", new byte[3], (await asia.ReadAsync("k")).ETag);
                Assert.Equal(StoreWriteOutcome.Applied, theirs.Outcome);
                var old = await RegisterBench.DigestAsync(bench.DiskOf(RegisterBench.Asia));
                var second = bench.Silo(RegisterBench.Asia, bench.DiskOf(RegisterBench.Asia));
                var told = Assert.IsType<ToldReply>(await second.AnswerAsync(old, new ReadRequest("k"), Stop));
                var late = new AcceptRequest("k", told.Promised with { Counter = long.MaxValue }, told.Value!, Ballot.None);

                bench.Network.Heal();
                await us.SweepAsync();
                Assert.True((await asia.AddKeeperAsync(RegisterBench.Us, Stop)).IsMade);
                var last = (await asia.WriteAsync("k", new byte[3], theirs.ETag)).Outcome;
                end = ((await us.ReadAsync("k")).Value.Length, (await eu.ReadAsync("k")).Value.Length, last);
                if (after is not null)
                {
                    await after(us, eu, () => second.AnswerAsync(old, late, Stop));
                }
            },
            without);
        return end;
    }

    private static RegisterBench Bench(params ClusterId[] clusters) => new() { Configuration = new(1, clusters) };

    private static QuorumConditionalStore Open(RegisterBench bench, ClusterId cluster) =>
        bench.Open(cluster, new InMemoryConditionalStore());

    private static async Task RefusedAsync(Task<ConfigurationChange> change, string reason)
    {
        Assert.False((await change).IsMade, (await change).Message);
        Assert.Contains(reason, (await change).Message, StringComparison.Ordinal);
    }
}
