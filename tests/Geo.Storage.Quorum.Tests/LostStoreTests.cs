namespace Geo.Storage.Quorum.Tests;

/// <summary>A cluster whose own store is lost does not count any more (rule R5).</summary>
public sealed class LostStoreTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void A_cluster_with_an_empty_store_cannot_help_to_forget_what_was_written() =>
        Assert.Equal(StoreReadOutcome.Unknown, ReadWithALostStore(out _));

    [Fact]
    public void It_could_without_the_rule() =>
        Assert.Equal(StoreReadOutcome.NotFound, ReadWithALostStore(out _, ProtocolRule.StoreIsCompared));

    [Fact]
    public void It_is_told_what_to_do()
    {
        ReadWithALostStore(out var reason);
        Assert.Contains("Cluster asia does not count, for its own store", reason, StringComparison.Ordinal);
        Assert.Contains("Bring that one back", reason, StringComparison.Ordinal);
    }

    [Fact]
    public void The_other_clusters_go_on_and_the_store_counts_again_when_it_is_back()
    {
        var bench = new RegisterBench();
        var disk = new InMemoryConditionalStore();
        bench.Run(async () =>
        {
            var stores = bench.OpenAll(new InMemoryConditionalStore(), new InMemoryConditionalStore(), disk);
            var first = await stores[0].WriteAsync("k", new byte[1], null);
            Assert.Equal(StoreWriteOutcome.Applied, first.Outcome);
            bench.Close(RegisterBench.Asia);
            var lost = bench.Open(RegisterBench.Asia, new InMemoryConditionalStore());
            var second = await lost.WriteAsync("k", new byte[2], first.ETag);
            Assert.Equal(StoreWriteOutcome.Applied, second.Outcome);
            Assert.False((await stores[0].SweepAsync()).IsComplete);

            bench.Close(RegisterBench.Asia);
            var back = bench.Open(RegisterBench.Asia, disk);
            Assert.Equal(new(Keys: 1, Repaired: 1), await back.SweepAsync());
            bench.Close(RegisterBench.Us);
            Assert.Equal(2, (await back.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void A_store_that_is_emptied_under_a_running_silo_is_noticed()
    {
        var bench = new RegisterBench();
        var disk = new InMemoryConditionalStore();
        bench.Run(async () =>
        {
            var stores = bench.OpenAll(new InMemoryConditionalStore(), new InMemoryConditionalStore(), disk);
            await stores[0].WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Us);
            Assert.Equal(StoreReadOutcome.Found, (await stores[1].ReadAsync("k")).Outcome);
            await foreach (var entry in disk.ListAsync(""))
            {
                await disk.DeleteAsync(entry.Key, entry.ETag);
            }

            Assert.Equal(StoreReadOutcome.Unknown, (await stores[1].ReadAsync("k")).Outcome);
            await Assert.ThrowsAsync<GeoUnavailableException>(async () => await stores[1].ListAsync("", Stop).CountAsync(Stop));
        });
    }

    [Fact]
    public void The_register_begins_when_all_clusters_have_been_there_and_not_before()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
            bench.Open(RegisterBench.Eu, new InMemoryConditionalStore());
            Assert.Equal(StoreWriteOutcome.Unknown, (await us.WriteAsync("k", new byte[1], null)).Outcome);
            bench.Open(RegisterBench.Asia, new InMemoryConditionalStore());
            Assert.Equal(StoreWriteOutcome.Applied, (await us.WriteAsync("k", new byte[1], null)).Outcome);
        });
    }

    // us and asia have a value that eu has not; asia's store is lost, and us is out of reach.
    private static StoreReadOutcome ReadWithALostStore(out string? reason, params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        StoreRead read = default;
        bench.Run(
            async () =>
            {
                await bench.OpenAll()[0].ReadAsync("other");
                var (writer, way) = bench.Client("writer");
                way.Passes = (to, _) => to != RegisterBench.Eu;
                Assert.Equal(StoreWriteOutcome.Applied, (await writer.WriteAsync("k", new byte[1], null)).Outcome);
                bench.Close(RegisterBench.Asia);
                bench.Open(RegisterBench.Asia, new InMemoryConditionalStore());
                var (reader, road) = bench.Client("reader");
                if (without.Length == 0)
                {
                    await reader.ReadAsync("other");
                }

                road.Passes = (to, request) => to != RegisterBench.Us || request is MeetRequest;
                read = await reader.ReadAsync("k");
            },
            without);
        reason = read.Reason;
        return read.Outcome;
    }
}
