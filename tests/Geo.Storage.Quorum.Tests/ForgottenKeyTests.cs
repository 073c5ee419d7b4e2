namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// A key that was deleted and forgotten: nothing of the time before comes back (rule R12), and who was in doubt then learns nothing from
/// what was written since (R9). Each beside what would happen without the rule.
/// </summary>
public sealed class ForgottenKeyTests
{
    private static readonly byte[] Old = new byte[1], New = new byte[2];

    [Theory, InlineData(false), InlineData(true)]
    public void A_write_in_doubt_stays_unknown_when_the_key_was_forgotten_and_created_anew(bool creates) =>
        Assert.Equal(StoreWriteOutcome.Unknown, WriteOfAnEarlierChain(creates));

    [Theory, InlineData(false), InlineData(true)]
    public void It_would_be_a_conflict_although_it_was_made_if_all_values_were_taken_for_one_chain(bool creates) =>
        Assert.Equal(StoreWriteOutcome.Conflict, WriteOfAnEarlierChain(creates, ProtocolRule.ChainIsOne));

    [Fact]
    public void A_request_that_comes_again_after_the_key_was_forgotten_brings_no_value_back() =>
        Assert.Equal(StoreReadOutcome.NotFound, AfterARequestCameAgain());

    [Fact]
    public void It_would_if_what_was_forgotten_had_promised_nothing() =>
        Assert.Equal(StoreReadOutcome.Found, AfterARequestCameAgain(ProtocolRule.FloorBinds));

    [Fact]
    public void A_cluster_that_was_away_when_a_key_was_deleted_brings_no_value_back() =>
        Assert.Equal(StoreReadOutcome.NotFound, AfterOneWasAway());

    [Fact]
    public void It_would_if_the_others_had_forgotten_the_key_without_it() =>
        Assert.Equal(StoreReadOutcome.Found, AfterOneWasAway(ProtocolRule.AllForget));

    // A value is accepted, and its writer is not told; another one reads it, deletes it and has the key forgotten, and a
    // third, which knows nothing of that, creates it anew.
    private static StoreWriteOutcome WriteOfAnEarlierChain(bool creates, params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreWriteOutcome.Applied;
        bench.Run(
            async () =>
            {
                var stores = bench.OpenAll();
                var us = stores[0];
                var before = creates ? default : await us.WriteAsync("k", Old, null);
                var (writer, way) = bench.Client("writer");
                await writer.ReadAsync("k");
                var isSent = false;
                way.Passes = (_, request) => (isSent |= request is AcceptRequest) == request is AcceptRequest;
                way.Instead = (to, _, request) => request is AcceptRequest ? ArrivesAsync(bench, to, request) : null;
                var write = writer.WriteAsync("k", New, before.ETag);
                var found = await us.ReadAsync("k");
                for (; found.Value.Length != New.Length; found = await us.ReadAsync("k"))
                {
                    await Task.Delay(TimeSpan.FromMilliseconds(1), bench.Time);
                }

                way.Passes = (_, _) => false;
                Assert.Equal(StoreWriteOutcome.Applied, (await us.DeleteAsync("k", found.ETag!.Value)).Outcome);
                Assert.Equal(1, (await us.SweepAsync()).Forgotten + (await us.SweepAsync()).Forgotten);
                Assert.Equal(StoreWriteOutcome.Applied, (await stores[1].WriteAsync("k", Old, null)).Outcome);
                way.Instead = (_, _, _) => null;
                way.Passes = (_, _) => true;
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

    private static StoreReadOutcome AfterARequestCameAgain(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreReadOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var us = bench.OpenAll()[0];
                await us.ReadAsync("other");
                var (writer, way) = bench.Client("writer");
                AcceptRequest? sent = null;
                way.SetsOut = (_, request) =>
                {
                    sent ??= request as AcceptRequest;
                    return Task.CompletedTask;
                };
                var written = await writer.WriteAsync("k", Old, null);
                Assert.Equal(StoreWriteOutcome.Applied, (await us.DeleteAsync("k", written.ETag!.Value)).Outcome);
                Assert.Equal(1, (await us.SweepAsync()).Forgotten + (await us.SweepAsync()).Forgotten);
                await bench.ArriveAsync(RegisterBench.Us, sent!);
                await bench.ArriveAsync(RegisterBench.Eu, sent!);
                end = (await us.ReadAsync("k")).Outcome;
            },
            without);
        return end;
    }

    private static StoreReadOutcome AfterOneWasAway(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var end = StoreReadOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var disk = new InMemoryConditionalStore();
                var stores = bench.OpenAll(new InMemoryConditionalStore(), new InMemoryConditionalStore(), disk);
                var written = await stores[0].WriteAsync("k", Old, null);
                await stores[0].SweepAsync();
                bench.Close(RegisterBench.Asia);
                Assert.Equal(StoreWriteOutcome.Applied, (await stores[0].DeleteAsync("k", written.ETag!.Value)).Outcome);
                await stores[0].SweepAsync();
                await stores[0].SweepAsync();
                bench.Open(RegisterBench.Asia, disk);
                bench.Close(RegisterBench.Us);
                end = (await stores[1].ReadAsync("k")).Outcome;
            },
            without);
        return end;
    }
}
