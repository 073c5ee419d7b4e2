namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// The clusters that keep a register come and go one at a time, each change settled before the next (rules R5, R15 and R16).
/// </summary>
public sealed class KeeperChangeTests
{
    private static readonly ClusterId Africa = new("africa"), Oceania = new("oceania");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void All_but_one_of_the_clusters_are_replaced_and_every_value_stays()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.OpenAll()[0];
            var written = await us.WriteAsync("k", new byte[3], null);
            bench.Open(Africa, new InMemoryConditionalStore());
            var oceania = bench.Open(Oceania, new InMemoryConditionalStore());
            await MadeAsync(us.AddKeeperAsync(Africa));
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Eu));
            bench.Close(RegisterBench.Eu);
            await MadeAsync(us.AddKeeperAsync(Oceania));
            await MadeAsync(oceania.RemoveKeeperAsync(RegisterBench.Asia));
            bench.Close(RegisterBench.Asia);
            var now = await us.DescribeKeepersAsync();
            Assert.Equal([Africa, Oceania, RegisterBench.Us], now.Clusters);
            Assert.Equal((5L, true), (now.Version, now.IsSettled));
            Assert.Equal(now.Clusters, us.Keepers);

            // Two of the three are enough, and neither of them was there at the beginning.
            bench.Close(RegisterBench.Us);
            var read = await oceania.ReadAsync("k");
            Assert.Equal((3, written.ETag), (read.Value.Length, read.ETag));
            Assert.Equal(StoreWriteOutcome.Applied, (await oceania.WriteAsync("k", new byte[4], read.ETag)).Outcome);
            Assert.Equal(["k"], await oceania.ListAsync("", Stop).Select(e => e.Key).ToListAsync(Stop));
        });
    }

    [Fact]
    public void A_process_that_starts_finds_the_clusters_of_today()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.OpenAll()[0];
            await us.WriteAsync("k", new byte[3], null);
            var disk = new InMemoryConditionalStore();
            bench.Open(Africa, disk);
            await MadeAsync(us.AddKeeperAsync(Africa));
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Us));

            var (client, _) = bench.Client("client");
            Assert.Equal(3, (await client.ReadAsync("k")).Value.Length);
            Assert.Equal([Africa, RegisterBench.Asia, RegisterBench.Eu], client.Keepers);

            // One of those that came later asks its own store as well, and needs none of those of the beginning for that.
            bench.Close(Africa);
            bench.Close(RegisterBench.Us);
            var again = bench.Open(Africa, disk);
            Assert.Equal(3, (await again.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void A_lost_store_is_replaced_by_taking_its_cluster_out_and_in_again()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var stores = bench.OpenAll();
            var first = await stores[0].WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Asia);
            var lost = bench.Open(RegisterBench.Asia, new InMemoryConditionalStore());
            Assert.Equal(StoreWriteOutcome.Applied, (await lost.WriteAsync("k", new byte[2], first.ETag)).Outcome);
            Assert.False((await stores[0].SweepAsync()).IsComplete);

            await MadeAsync(stores[0].RemoveKeeperAsync(RegisterBench.Asia));
            await MadeAsync(stores[0].AddKeeperAsync(RegisterBench.Asia));
            Assert.True((await stores[0].SweepAsync()).IsComplete);
            bench.Close(RegisterBench.Us);
            Assert.Equal(2, (await lost.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void What_cannot_be_is_refused_with_the_reason()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.OpenAll()[0];
            await us.ReadAsync("k");
            await RefusedAsync(us.AddKeeperAsync(Africa), "africa does not answer");
            bench.Open(Africa, new InMemoryConditionalStore());
            await RefusedAsync(us.ChangeKeepersAsync([Africa], [RegisterBench.Eu], Stop), "one cluster comes or goes at a time");

            // With asia away us and eu are just enough of three, and of four they are not.
            bench.Close(RegisterBench.Asia);
            await RefusedAsync(us.RemoveKeeperAsync(RegisterBench.Eu), "only us does now");
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Asia));
            await MadeAsync(us.AddKeeperAsync(Africa));
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Eu));
            await MadeAsync(us.RemoveKeeperAsync(Africa));
            await RefusedAsync(us.RemoveKeeperAsync(RegisterBench.Us), "the only cluster");
        });
    }

    [Fact]
    public void A_change_whose_process_dies_is_carried_on_by_the_next_sweep_of_another_and_no_other_comes_before()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.OpenAll()[0];
            await us.WriteAsync("k", new byte[1], null);
            bench.Open(Africa, new InMemoryConditionalStore());
            var (driver, way) = bench.Client("driver");

            // It decides and tells the others, and can do no more.
            way.Passes = (_, request) => request is not ListRequest;
            var begun = await driver.AddKeeperAsync(Africa);
            Assert.Equal(2, begun.Version);
            Assert.Contains("not every key is written", begun.Message, StringComparison.Ordinal);
            await RefusedAsync(driver.RemoveKeeperAsync(RegisterBench.Eu), "not every key is written");
            Assert.False((await us.DescribeKeepersAsync()).IsSettled);

            await us.SweepAsync();
            var now = await us.DescribeKeepersAsync();
            Assert.Equal((2L, 4, true), (now.Version, now.Clusters.Count, now.IsSettled));
            way.Passes = (_, _) => true;
            await MadeAsync(driver.RemoveKeeperAsync(RegisterBench.Eu));
        });
    }

    [Fact]
    public void A_change_that_was_decided_and_told_to_nobody_is_found_by_the_next_process()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.OpenAll()[0];
            await us.WriteAsync("k", new byte[1], null);
            bench.Open(Africa, new InMemoryConditionalStore());
            var (driver, way) = bench.Client("driver");
            way.Passes = (_, request) => request is not FoundRequest { Stores.Version: > 1 };
            await Assert.ThrowsAsync<GeoUnavailableException>(() => driver.AddKeeperAsync(Africa, Stop));
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
            Assert.Equal(3, us.Keepers.Count);

            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Asia));
            Assert.Equal([Africa, RegisterBench.Eu, RegisterBench.Us], us.Keepers);
            Assert.Equal(3, (await us.DescribeKeepersAsync()).Version);
        });
    }

    [Fact]
    public void A_cluster_that_comes_again_brings_nothing_back() => Assert.Equal(StoreReadOutcome.NotFound, AfterItCameAgain());

    [Fact]
    public void It_would_if_it_kept_what_it_held() =>
        Assert.Equal(StoreReadOutcome.Found, AfterItCameAgain(ProtocolRule.NewcomerIsEmpty));

    [Fact]
    public void What_a_process_with_an_old_list_has_read_is_decided() => Assert.Equal((2, 2), ReadWithAnOldList());

    [Fact]
    public void It_would_not_be_if_a_later_version_said_nothing() =>
        Assert.Equal((2, 1), ReadWithAnOldList(ProtocolRule.LaterVersionCounts));

    [Fact]
    public void A_process_with_an_old_list_creates_no_key_that_is_there() =>
        Assert.Equal(StoreWriteOutcome.Conflict, CreateWithAnOldList());

    [Fact]
    public void It_would_if_a_list_that_was_taken_over_did_not_bind() =>
        Assert.Equal(StoreWriteOutcome.Applied, CreateWithAnOldList(ProtocolRule.LaterListBinds));

    [Fact]
    public void A_process_with_an_old_list_replaces_no_value_that_was_replaced() =>
        Assert.Equal(StoreWriteOutcome.Conflict, WriteWithAnOldList());

    [Fact]
    public void It_would_if_a_ballot_did_not_name_its_list() =>
        Assert.Equal(StoreWriteOutcome.Applied, WriteWithAnOldList(ProtocolRule.BallotNamesItsList));

    [Fact]
    public void A_create_that_is_under_way_through_changes_is_made_while_one_acceptor_has_been_there_all_along()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.OpenAll()[0];
            await us.ReadAsync("k");
            bench.Open(Africa, new InMemoryConditionalStore());
            var (creator, way) = bench.Client("creator");
            way.Passes = (_, request) => request is not AcceptRequest;
            var write = creator.WriteAsync("k", new byte[1], null);
            await MadeAsync(us.AddKeeperAsync(Africa));
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Asia));
            way.Passes = (_, _) => true;
            Assert.Equal(StoreWriteOutcome.Applied, (await write).Outcome);
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void What_a_create_has_left_open_stays_open_where_only_newcomers_tell_that_nothing_was_forgotten() =>
        Assert.Equal(StoreWriteOutcome.Unknown, CreateThatWasForgotten());

    [Fact]
    public void A_forgotten_value_would_come_back_if_newcomers_vouched_for_the_time_before_them() =>
        Assert.Equal(StoreWriteOutcome.Applied, CreateThatWasForgotten(ProtocolRule.NewcomerDoesNotVouch));

    // asia holds a value and is taken out; the key is deleted and forgotten; asia comes back, and is asked with one other.
    private static StoreReadOutcome AfterItCameAgain(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreReadOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var us = bench.OpenAll()[0];
                var written = await us.WriteAsync("k", new byte[1], null);
                await us.SweepAsync();
                await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Asia));
                written = await us.WriteAsync("k", new byte[2], (await us.ReadAsync("k")).ETag);
                Assert.Equal(StoreWriteOutcome.Applied, (await us.DeleteAsync("k", written.ETag!.Value)).Outcome);
                await us.SweepAsync();
                await us.SweepAsync();
                await MadeAsync(us.AddKeeperAsync(RegisterBench.Asia));
                end = (await us.ReadAsync("k")).Outcome;
            },
            without);
        return end;
    }

    // The lengths that one reads who has not heard of two clusters more, and then one who asks the three that the first does not.
    private static (int First, int Second) ReadWithAnOldList(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var (first, second) = (0, 0);
        bench.Run(
            async () =>
            {
                var reader = await WithAnOldListAsync(bench, async us => await us.WriteAsync("k", new byte[1], null));
                var (writer, way) = bench.Client("writer");
                var present = await writer.ReadAsync("k");
                way.Passes = (to, request) => request is not AcceptRequest || to == RegisterBench.Us || to == RegisterBench.Eu;
                Assert.Equal(
                    StoreWriteOutcome.Unknown, (await writer.WriteAsync("k", new byte[2], present.ETag)).Outcome);
                first = (await reader.ReadAsync("k")).Value.Length;
                var (other, road) = bench.Client("other");
                road.Passes = (to, request) => request is MeetRequest || (to != RegisterBench.Us && to != RegisterBench.Eu);
                second = (await other.ReadAsync("k")).Value.Length;
            },
            without);
        return (first, second);
    }

    // The other three have the key.
    private static StoreWriteOutcome CreateWithAnOldList(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreWriteOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var creator = await WithAnOldListAsync(bench, async us => await us.ReadAsync("k"));
                var (writer, way) = bench.Client("writer");
                await writer.ReadAsync("k");
                way.Passes = (to, _) => to != RegisterBench.Us && to != RegisterBench.Eu;
                Assert.Equal(StoreWriteOutcome.Applied, (await writer.WriteAsync("k", new byte[1], null)).Outcome);
                end = (await creator.WriteAsync("k", new byte[2], null)).Outcome;
            },
            without);
        return end;
    }

    // The other three have the key's second value.
    private static StoreWriteOutcome WriteWithAnOldList(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreWriteOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var old = await WithAnOldListAsync(bench, async us => await us.WriteAsync("k", new byte[1], null));
                var (writer, way) = bench.Client("writer");
                var present = await writer.ReadAsync("k");
                way.Passes = (to, _) => to != RegisterBench.Us && to != RegisterBench.Eu;
                Assert.Equal(StoreWriteOutcome.Applied, (await writer.WriteAsync("k", new byte[2], present.ETag)).Outcome);
                end = (await old.WriteAsync("k", new byte[3], present.ETag)).Outcome;
            },
            without);
        return end;
    }

    // A value is accepted, and its creator is not told. It is deleted and forgotten, and two clusters of three are others when the creator
    // asks what became of it, and asks those two.
    private static StoreWriteOutcome CreateThatWasForgotten(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreWriteOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var us = bench.OpenAll()[0];
                await us.ReadAsync("k");
                var (creator, way) = bench.Client("creator");
                var isSent = false;
                way.Passes = (_, request) => (isSent |= request is AcceptRequest) == request is AcceptRequest;
                way.Instead = (to, _, request) => request is AcceptRequest ? ArrivesAsync(bench, to, request) : null;
                var write = creator.WriteAsync("k", new byte[1], null);
                var found = await us.ReadAsync("k");
                for (; found.Outcome != StoreReadOutcome.Found; found = await us.ReadAsync("k"))
                {
                    await Task.Delay(TimeSpan.FromMilliseconds(1), bench.Time);
                }

                way.Passes = (_, _) => false;
                way.Instead = (_, _, _) => null;
                Assert.Equal(StoreWriteOutcome.Applied, (await us.DeleteAsync("k", found.ETag!.Value)).Outcome);
                Assert.Equal(1, (await us.SweepAsync()).Forgotten + (await us.SweepAsync()).Forgotten);
                bench.Open(Africa, new InMemoryConditionalStore());
                bench.Open(Oceania, new InMemoryConditionalStore());
                await MadeAsync(us.AddKeeperAsync(Africa));
                await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Asia));
                await MadeAsync(us.AddKeeperAsync(Oceania));
                await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Eu));
                way.Passes = (to, _) => to != RegisterBench.Us;
                end = (await write).Outcome;
            },
            without);
        return end;
    }

    private static async Task<QuorumReply?> ArrivesAsync(RegisterBench bench, ClusterId to, QuorumRequest request)
    {
        await bench.ArriveAsync(to, request);
        return null;
    }

    // Two clusters come. A client knows the list before them, and so do the silos of us and eu that it asks, which share their clusters'
    // stores with those that have taken over the lists since.
    private static async Task<QuorumConditionalStore> WithAnOldListAsync(
        RegisterBench bench, Func<QuorumConditionalStore, Task> before)
    {
        IConditionalStore[] disks = [new InMemoryConditionalStore(), new InMemoryConditionalStore()];
        var us = bench.OpenAll(disks)[0];
        await before(us);
        await us.SweepAsync();
        QuorumAcceptor[] silos = [bench.Silo(RegisterBench.Us, disks[0]), bench.Silo(RegisterBench.Eu, disks[1])];
        var (client, way) = bench.Client("client");
        way.Instead = (to, stores, request) =>
            to == RegisterBench.Us ? silos[0].AnswerAsync(stores, request, Stop).AsTask()
            : to == RegisterBench.Eu ? silos[1].AnswerAsync(stores, request, Stop).AsTask()
            : null;
        await client.ReadAsync("k");
        (way.Hears, way.Passes) = (false, (to, _) => to != RegisterBench.Asia);
        bench.Open(Africa, new InMemoryConditionalStore());
        bench.Open(Oceania, new InMemoryConditionalStore());
        await MadeAsync(us.AddKeeperAsync(Africa));
        await MadeAsync(us.AddKeeperAsync(Oceania));
        return client;
    }

    private static async Task MadeAsync(Task<Geo.Directory.ConfigurationChange> change) =>
        Assert.True(
            (await change) is { IsMade: true } made && made.Message.EndsWith("keep the store.", StringComparison.Ordinal),
            (await change).Message);

    private static async Task RefusedAsync(Task<Geo.Directory.ConfigurationChange> change, string reason)
    {
        Assert.False((await change).IsMade);
        Assert.Contains(reason, (await change).Message, StringComparison.Ordinal);
    }
}
