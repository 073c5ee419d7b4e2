namespace Geo.Storage.Quorum.Tests;

/// <summary>What a quorum store says where it cannot work, and how long it takes at most.</summary>
public sealed class QuorumStoreTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void Clusters_with_another_list_do_not_count_each_other_and_say_so()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            await bench.OpenAll()[0].ReadAsync("k");
            bench.Configuration = new(1, [RegisterBench.Us, RegisterBench.Eu]);
            var (store, _) = bench.Client("two");
            var write = await store.WriteAsync("k", new byte[1], null);
            Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
            Assert.Contains("Cluster eu does not count", write.Reason, StringComparison.Ordinal);
            Assert.Contains("[asia, eu, us]", write.Reason, StringComparison.Ordinal);

            bench.Configuration = new(1, [RegisterBench.Asia, RegisterBench.Us, RegisterBench.Eu]);
            Assert.Equal(StoreReadOutcome.NotFound, (await bench.Client("three").Store.ReadAsync("k")).Outcome);
        });
    }

    /// <summary>
    /// Silos read each other's leases all the time: what they read may not cost a renewal the trips for another ballot, or regions far from
    /// each other lose their leases to those who look at them.
    /// </summary>
    [Fact]
    public void A_read_that_meets_a_write_on_its_way_lets_it_pass()
    {
        var trip = TimeSpan.FromMilliseconds(2);
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            await bench.OpenAll()[0].ReadAsync("other");
            var ((writer, way), (reader, look)) = (bench.Client("writer"), bench.Client("reader"));
            var first = await writer.WriteAsync("k", "old"u8.ToArray(), null);
            await reader.ReadAsync("other");

            // One of the two clusters that the reader reaches has it two trips before the other.
            look.Passes = (to, _) => to != RegisterBench.Asia;
            way.SetsOut = (to, _) => to == RegisterBench.Us ? Task.CompletedTask : Task.Delay(2 * trip, bench.Time);
            var began = bench.Time.Elapsed;
            var writing = writer.WriteAsync("k", "new"u8.ToArray(), first.ETag).AsTask();
            await Task.Delay(trip / 4, bench.Time);
            var read = await reader.ReadAsync("k");

            Assert.Equal(StoreWriteOutcome.Applied, (await writing).Outcome);
            Assert.Equal(3 * trip, bench.Time.Elapsed - began);
            Assert.Equal("new"u8.ToArray(), read.Value.ToArray());
        });
    }

    /// <summary>Who lists finds out since when a version has been there, whenever it comes to look.</summary>
    [Fact]
    public void A_list_tells_for_how_long_a_majority_has_had_a_version()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var stores = bench.OpenAll();
            var first = await stores[0].WriteAsync("k", "old"u8.ToArray(), null);
            await Task.Delay(TimeSpan.FromSeconds(5), bench.Time);
            Assert.InRange(await AgeAsync(), TimeSpan.FromSeconds(4.99), TimeSpan.FromSeconds(5.01));

            await stores[0].WriteAsync("k", "new"u8.ToArray(), first.ETag);
            await Task.Delay(TimeSpan.FromSeconds(1), bench.Time);
            Assert.InRange(await AgeAsync(), TimeSpan.FromSeconds(0.99), TimeSpan.FromSeconds(1.01));

            // Undecided: it counts from when it came.
            var (writer, way) = bench.Client("writer");
            var known = await writer.WriteAsync("k", "known"u8.ToArray(), (await writer.ReadAsync("k")).ETag);
            way.Passes = (to, _) => to == RegisterBench.Us;
            _ = writer.WriteAsync("k", "lost"u8.ToArray(), known.ETag).AsTask();
            await Task.Delay(TimeSpan.FromSeconds(1), bench.Time);
            way.Passes = (_, _) => false;
            bench.Close(RegisterBench.Asia);
            await Task.Delay(TimeSpan.FromSeconds(1), bench.Time);
            Assert.InRange(await AgeAsync(), TimeSpan.FromSeconds(1.9), TimeSpan.FromSeconds(2.1));

            // Processes that have begun since have not seen it come.
            var disks = RegisterBench.Clusters.Select(bench.DiskOf).ToArray();
            bench.Close(RegisterBench.Us);
            bench.Close(RegisterBench.Eu);

            stores = bench.OpenAll(disks);
            Assert.InRange(await AgeAsync(), TimeSpan.Zero, TimeSpan.FromSeconds(0.1));

            async Task<TimeSpan> AgeAsync() => (await stores[1].ListAsync("k").SingleAsync()).Age;
        });
    }

    [Fact]
    public async Task Before_it_has_joined_every_operation_says_so_and_does_nothing()
    {
        var disk = new InMemoryConditionalStore();
        var store = new QuorumConditionalStore(new(1, [RegisterBench.Us]), disk);
        Func<Task>[] operations =
        [
            async () => await store.ReadAsync("k", Stop),
            async () => await store.WriteAsync("k", new byte[1], null, Stop),
            async () => await store.DeleteAsync("k", new ETag("1.1.1"), Stop),
            async () => await store.ListAsync("", Stop).GetAsyncEnumerator().MoveNextAsync(),
            () => store.SweepAsync(Stop),
        ];
        foreach (var operation in operations)
        {
            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(operation);
            Assert.Contains("has not joined", refused.Message, StringComparison.Ordinal);
        }

        Assert.Equal(0, await disk.ListAsync("", Stop).CountAsync(Stop));
    }

    [Fact]
    public void An_acceptor_whose_store_never_answers_gives_up_within_its_time()
    {
        var bench = new RegisterBench { Options = new() { SweepEvery = null, RequestTimeout = TimeSpan.FromSeconds(2) } };
        var disk = new HeldStore();
        bench.Run(async () =>
        {
            await bench.OpenAll(disk)[0].ReadAsync("other");

            // Each write is left open after 2 s, and what stands there says that it may still come.
            disk.Holds = (what, key) => what == "write" && key == "k";
            var began = bench.Time.Elapsed;
            var request = new PrepareRequest("k", new Ballot(1, 1, 1), WantsFloor: false);
            Assert.Null(await bench.AnswerAsync(RegisterBench.Us, disk, request));
            Assert.InRange(bench.Time.Elapsed - began, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(8));
        });
    }
}
