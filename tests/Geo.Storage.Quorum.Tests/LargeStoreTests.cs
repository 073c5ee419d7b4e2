namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// A list or a sweep of many keys ends: each page begins where the last one has ended, and a slow store ends a page early.
/// </summary>
public sealed class LargeStoreTests
{
    private const int Keys = 300;

    [Fact]
    public void A_list_and_a_sweep_read_every_row_about_once()
    {
        var bench = new RegisterBench { Options = new() { SweepEvery = null, PageRows = 10 } };
        var disks = RegisterBench.Clusters.Select(_ => new HeldStore()).ToArray();
        bench.Run(async () =>
        {
            var store = bench.OpenAll([.. disks])[0];
            await FillAsync(store);
            Assert.Equal(Keys, await store.ListAsync("k").CountAsync());
            Assert.Equal(Keys - 100, await store.ListAsync("k", "k099").CountAsync());
            Assert.Equal(Keys, (await store.SweepAsync()).Keys);

            // Three passes, each with one row more a page, which says that it is not the last.
            Assert.All(disks, d => Assert.InRange(d.Listed, Keys, 3 * Keys * 12 / 10));
        });
    }

    [Fact]
    public void Pages_of_a_store_that_is_slow_end_in_time_and_the_list_goes_on()
    {
        var bench = new RegisterBench { Options = new() { SweepEvery = null, PageTimeout = TimeSpan.FromSeconds(10) } };
        var disks = RegisterBench.Clusters.Select(_ => new HeldStore()).ToArray();
        bench.Run(async () =>
        {
            var store = bench.OpenAll([.. disks])[0];
            await FillAsync(store);
            Array.ForEach(disks, d => d.Slowness = () => Task.Delay(TimeSpan.FromSeconds(1), bench.Time));
            var began = bench.Time.Elapsed;
            Assert.Equal(Keys, await store.ListAsync("k").CountAsync());
            Assert.True(bench.Time.Elapsed - began > bench.Options.PageTimeout);
        });
    }

    private static async Task FillAsync(QuorumConditionalStore store)
    {
        for (var i = 0; i < Keys; i++)
        {
            Assert.Equal(StoreWriteOutcome.Applied, (await store.WriteAsync($"k{i:000}", new byte[1], null)).Outcome);
        }
    }
}
