namespace Geo.Storage.Quorum.Tests;

/// <summary>A cluster that is cut off, which nobody has noticed yet: requests to it are answered by nobody and refused by nobody.</summary>
public sealed class SilentAcceptorTests
{
    // A message takes 1 ms, a request waits for 2 s.
    private static readonly TimeSpan Enough = TimeSpan.FromMilliseconds(100);

    [Fact]
    public void One_that_is_refused_by_another_does_not_wait_for_it()
    {
        var bench = new RegisterBench();
        var took = TimeSpan.MaxValue;
        bench.Run(async () =>
        {
            bench.OpenAll();
            var (store, _) = bench.Client("writer");
            Assert.Equal(StoreWriteOutcome.Applied, (await store.WriteAsync("other", new byte[1], null)).Outcome);

            // Another process, which has seen a later ballot, has begun to write the key, and got through to us alone.
            bench.Network.Hold(new ClusterId("writer"), RegisterBench.Asia);
            var later = new Ballot(1, long.MaxValue / 2, 1);
            Assert.IsType<PromisedReply>(await bench.ArriveAsync(RegisterBench.Us, new PrepareRequest("k", later, WantsFloor: false)));

            var began = bench.Time.GetTimestamp();
            Assert.Equal(StoreWriteOutcome.Applied, (await store.WriteAsync("k", new byte[1], null)).Outcome);
            took = bench.Time.GetElapsedTime(began);
        });
        Assert.True(took < Enough, $"it took {took}");
    }

    [Fact]
    public void Reads_side_by_side_settle_once_what_the_others_do_not_agree_on()
    {
        var bench = new RegisterBench();
        var prepared = 0;
        bench.Run(async () =>
        {
            bench.OpenAll();
            var (reader, script) = bench.Client("reader");
            Assert.Equal(StoreWriteOutcome.Applied, (await reader.WriteAsync("k", new byte[1], null)).Outcome);

            // A write has come to us alone; asia is silent from now on.
            var later = new Ballot(1, long.MaxValue / 2, 1);
            var value = new QuorumValue(later, later, IsLive: true, new byte[2], []);
            await bench.ArriveAsync(RegisterBench.Us, new AcceptRequest("k", value.Tag, value, Ballot.None));
            bench.Network.Hold(new ClusterId("reader"), RegisterBench.Asia);
            script.Passes = (to, request) =>
            {
                prepared += request is PrepareRequest && to == RegisterBench.Us ? 1 : 0;
                return true;
            };
            var reads = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => reader.ReadAsync("k").AsTask()));
            Assert.All(reads, read => Assert.Equal(2, read.Value.Length));
        });
        Assert.Equal(1, prepared);
    }
}
