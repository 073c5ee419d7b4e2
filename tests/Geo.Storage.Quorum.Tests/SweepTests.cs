namespace Geo.Storage.Quorum.Tests;

/// <summary>Sweeps happen by themselves, about as often as is set whatever the number of processes, and report what they did.</summary>
public sealed class SweepTests
{
    [Fact]
    public void What_was_deleted_is_forgotten_without_anybody_asking_for_it()
    {
        var bench = new RegisterBench { Options = new() { SweepEvery = TimeSpan.FromMinutes(10) } };
        var disk = new InMemoryConditionalStore();
        bench.Run(async () =>
        {
            var stores = bench.OpenAll(disk);
            var written = await stores[0].WriteAsync("k", new byte[1], null);
            await stores[0].DeleteAsync("k", written.ETag!.Value);
            await Task.Delay(TimeSpan.FromMinutes(40), bench.Time);
            Assert.Equal(StoreReadOutcome.NotFound, (await disk.ReadAsync("k")).Outcome);
            Assert.Equal(0, await stores[0].ListAsync("").CountAsync());
        });
    }

    [Fact]
    public void Of_three_clusters_one_sweeps_at_a_time()
    {
        var bench = new RegisterBench { Options = new() { SweepEvery = TimeSpan.FromMinutes(10) } };
        var disk = new HeldStore();
        bench.Run(async () =>
        {
            bench.OpenAll(disk);
            var lists = 0;
            disk.Holds = (what, key) =>
            {
                lists += what == "list" && key == OwnKeys.Sweep ? 1 : 0;
                return false;
            };
            await Task.Delay(TimeSpan.FromHours(10), bench.Time);

            // Each lists the one register that says so.
            Assert.InRange(lists, 25, 85);
        });
    }

    [Fact]
    public void A_report_counts_as_forgotten_what_is_gone_and_tells_what_remains()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var stores = bench.OpenAll();
            var written = await stores[0].WriteAsync("k", new byte[1], null);
            Assert.Equal(StoreWriteOutcome.Applied, (await stores[0].DeleteAsync("k", written.ETag!.Value)).Outcome);
            await stores[0].WriteAsync("other", new byte[1], null);

            // asia lists its rows, and raises its floor, but does not hear that it may forget.
            var (sweeper, way) = bench.Client("sweeper");
            way.Passes = (to, request) => to != RegisterBench.Asia || request is not ForgetRequest;
            Assert.Equal(new(Keys: 2, Remaining: 1), await sweeper.SweepAsync());
            Assert.Null(stores[0].LastSweep);

            // Half forgotten: brought back everywhere as deleted, and then forgotten for good.
            way.Passes = (_, _) => true;
            Assert.Equal(new(Keys: 2, Repaired: 1), await sweeper.SweepAsync());
            Assert.Equal(new(Keys: 2, Forgotten: 1), await sweeper.SweepAsync());
            Assert.Equal(new(Keys: 1), await sweeper.SweepAsync());
            Assert.Equal(sweeper.LastSweep, new(Keys: 1));

            way.Passes = (to, _) => to != RegisterBench.Asia;
            Assert.Equal(new(Keys: 1, IsComplete: false), await sweeper.SweepAsync());
        });
    }
}
