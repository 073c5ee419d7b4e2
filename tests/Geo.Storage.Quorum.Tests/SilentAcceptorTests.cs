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
}
