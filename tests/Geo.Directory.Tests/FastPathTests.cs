using System.Diagnostics.Metrics;

namespace Geo.Directory.Tests;

public sealed class FastPathTests
{
    [Fact]
    public void A_cached_grain_is_placed_without_allocating_and_a_local_one_with_what_the_store_allocates()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(World.Grain);
            await silos[1].CallAsync(World.Grain);
            var rowKey = DirectoryRows.KeyOf(World.Grain);

            var cached = Allocated(
                () => Completed(silos[1].Directory.AcquireAsync(World.Grain, silos[1].Node, SingleInstanceMode.Optimistic)));
            var local = Allocated(
                () => Completed(silos[0].Directory.AcquireAsync(World.Grain, silos[0].Node, SingleInstanceMode.Optimistic)));
            var store = Allocated(() => Completed(silos[0].Rows.ReadAsync(rowKey)));

            Assert.Equal(0, cached);
            Assert.Equal(store, local);
        });
    }

    [Fact]
    public void Rounds_are_counted_by_their_decision()
    {
        var decisions = new List<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, l) =>
        {
            if (instrument.Meter.Name == DirectoryMetrics.MeterName && instrument.Name == "geo.directory.rounds"
                && instrument.Meter.Tags?.Any(t => Equals(t.Value, "metered-eu")) == true)
            {
                l.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => decisions.Add((string)tags[0].Value!));
        listener.Start();
        var world = new World(1, "metered-eu", "metered-us");

        World.Run(world, silos => silos[0].CallAsync(World.Grain));

        Assert.Equal(["Own"], decisions);
    }

    private static bool Completed<T>(ValueTask<T> task) => task.IsCompletedSuccessfully;

    private static long Allocated(Func<bool> action)
    {
        const int Times = 1000;
        Assert.True(action());
        var before = GC.GetAllocatedBytesForCurrentThread();
        var all = true;
        for (var i = 0; i < Times; i++)
        {
            all &= action();
        }

        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(all);
        return allocated / Times;
    }
}
