using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A read that readies the write which follows it: both take one trip, whoever wrote before.</summary>
public sealed class ReadToWriteTests
{
    private static readonly TimeSpan Trip = TimeSpan.FromMilliseconds(2);

    [Theory]
    [InlineData("nothing")]
    [InlineData("a value")]
    [InlineData("a tombstone")]
    public void A_change_takes_two_trips_whatever_was_there(string before)
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            await bench.OpenAll()[0].ReadAsync("other");
            var (other, _) = bench.Client("other");
            if (before != "nothing")
            {
                var written = await other.WriteAsync("k", "old"u8.ToArray(), null);
                if (before == "a tombstone")
                {
                    await other.DeleteAsync("k", written.ETag!.Value);
                }
            }

            // Past the first question of all, which is about the list of stores.
            var (store, _) = bench.Client("one");
            await store.ReadAsync("other");
            var began = bench.Time.Elapsed;
            var read = await ((IWritePreparation)store).ReadToWriteAsync("k");
            Assert.Equal(before == "a value" ? StoreReadOutcome.Found : StoreReadOutcome.NotFound, read.Outcome);
            var write = await store.WriteAsync("k", "new"u8.ToArray(), read.ETag);
            Assert.Equal(StoreWriteOutcome.Applied, write.Outcome);
            Assert.Equal(2 * Trip, bench.Time.Elapsed - began);
            Assert.Equal(write.ETag, (await other.ReadAsync("k")).ETag);
        });
    }

    [Fact]
    public void A_write_of_another_process_in_between_is_a_conflict()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            await bench.OpenAll()[0].ReadAsync("other");
            var ((store, _), (other, _)) = (bench.Client("one"), bench.Client("other"));
            var read = await ((IWritePreparation)store).ReadToWriteAsync("k");
            Assert.Equal(StoreWriteOutcome.Applied, (await other.WriteAsync("k", "theirs"u8.ToArray(), null)).Outcome);
            Assert.Equal(StoreWriteOutcome.Conflict, (await store.WriteAsync("k", "mine"u8.ToArray(), read.ETag)).Outcome);
            Assert.Equal("theirs"u8.ToArray(), (await store.ReadAsync("k")).Value.ToArray());
        });
    }

    [Fact]
    public void What_a_lost_process_left_half_done_is_settled_and_the_write_that_follows_takes_one_trip()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            await bench.OpenAll()[0].ReadAsync("other");
            var ((store, _), (lost, script)) = (bench.Client("one"), bench.Client("lost"));
            await store.ReadAsync("other");
            await lost.ReadAsync("other");

            // Its write has come to us alone.
            script.Passes = (to, request) => request is not AcceptRequest || to == RegisterBench.Us;
            _ = lost.WriteAsync("k", "theirs"u8.ToArray(), null).AsTask();
            await Task.Delay(2 * Trip, bench.Time);
            script.Passes = (_, _) => false;
            bench.Close(RegisterBench.Asia);

            var began = bench.Time.Elapsed;
            var read = await ((IWritePreparation)store).ReadToWriteAsync("k");
            Assert.Equal("theirs"u8.ToArray(), read.Value.ToArray());
            Assert.Equal(2 * Trip, bench.Time.Elapsed - began);
            Assert.Equal(StoreWriteOutcome.Applied, (await store.WriteAsync("k", "mine"u8.ToArray(), read.ETag)).Outcome);
            Assert.Equal(3 * Trip, bench.Time.Elapsed - began);
        });
    }

    [Fact]
    public void One_that_was_readied_by_another_is_only_read()
    {
        var bench = new RegisterBench();
        var asked = 0;
        bench.Run(async () =>
        {
            await bench.OpenAll()[0].ReadAsync("other");
            var (store, script) = bench.Client("one");
            await store.ReadAsync("other");
            script.Passes = (to, request) =>
            {
                asked += request is PrepareRequest && to == RegisterBench.Us ? 1 : 0;
                return true;
            };

            // Another process, ahead of this one, is about to write.
            var later = new Ballot(1, long.MaxValue / 2, 1);
            foreach (var cluster in RegisterBench.Clusters)
            {
                Assert.IsType<PromisedReply>(await bench.ArriveAsync(cluster, new PrepareRequest("k", later, WantsFloor: false)));
            }

            Assert.Equal(StoreReadOutcome.NotFound, (await ((IWritePreparation)store).ReadToWriteAsync("k")).Outcome);
            var value = new QuorumValue(later, later, IsLive: true, new byte[1], []);
            foreach (var cluster in RegisterBench.Clusters)
            {
                Assert.IsType<AcceptedReply>(await bench.ArriveAsync(cluster, new AcceptRequest("k", later, value, Ballot.None)));
            }
        });
        Assert.Equal(1, asked);
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    [InlineData(3, false)]
    public void Start_up_says_where_any_cut_stops_the_store(int clusters, bool isSaid)
    {
        var said = new List<string>();
        var store = new QuorumConditionalStore(
            new(1, RegisterBench.Clusters[..clusters]), new InMemoryConditionalStore(), logger: new Said(said));
        using var part = store.Join(new DirectMessenger(RegisterBench.Us, []));
        Assert.Equal(isSaid, said.Exists(line => line.Contains("any cut between them", StringComparison.Ordinal)));
    }

    private sealed class Said(List<string> lines) : ILogger<QuorumConditionalStore>
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            lines.Add(formatter(state, exception));
    }
}
