using Geo.Experiments.Simulation;

namespace Geo.Experiments.Tests.Simulation;

public class SeedSearchTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public void The_processes_share_all_seeds_and_run_one_of_fifty_twice(int processes)
    {
        var shards = Enumerable.Range(0, processes).Select(index => new ShardWork(index, processes, From: 7, Seeds: 1000, Clusters: null, Silos: null)).ToArray();
        Assert.Equal(Enumerable.Range(7, 1000), shards.SelectMany(s => s.Mine().Where(s.IsOwn)).Order());
        var repeated = shards.SelectMany(s => s.Mine()).GroupBy(seed => seed).Where(g => g.Count() > 1).Select(g => g.Key).Order();
        Assert.Equal(processes == 1 ? [] : Enumerable.Range(7, 1000).Where(seed => seed % 50 == 0), repeated);
    }

    [Fact]
    public void Progress_says_how_many_seeds_how_fast_and_how_much_time_was_simulated()
    {
        var half = new ShardLine(1000, 6_000_000, 33_000, CpuSeconds: 8, Traces: 1UL << 63);
        var progress = new SearchProgress(half.With(half with { Traces = half.Traces + 5 }), 10_000, 40, TimeSpan.FromSeconds(10)).ToString();
        Assert.Contains("2,000 of 10,000 seeds", progress, StringComparison.Ordinal);
        Assert.Contains("200/s, 125.0 a CPU second", progress, StringComparison.Ordinal);
        Assert.Contains("traces 0000000000000005", progress, StringComparison.Ordinal);
        Assert.Contains("6,600x real time", progress, StringComparison.Ordinal);
    }
}
