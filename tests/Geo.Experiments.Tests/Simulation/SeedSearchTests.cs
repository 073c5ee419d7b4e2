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
        var shards = Enumerable.Range(0, processes)
            .Select(index => new ShardWork(index, processes, From: 7, Seeds: 1000, Clusters: null, Silos: null)).ToArray();
        Assert.Equal(Enumerable.Range(7, 1000), shards.SelectMany(s => s.Mine().Where(s.IsOwn)).Order());
        var repeated = shards.SelectMany(s => s.Mine()).GroupBy(seed => seed).Where(g => g.Count() > 1).Select(g => g.Key).Order();
        Assert.Equal(processes == 1 ? [] : Enumerable.Range(7, 1000).Where(seed => seed % 50 == 0), repeated);
    }

    /// <summary>A world's size is drawn from its seed where no option gives it: with the option it is another world.</summary>
    [Theory]
    [InlineData(null, null, nameof(SimulatedWorld.Silos))]
    [InlineData(2, 1, nameof(SimulatedWorld.Silos))]
    [InlineData(null, 3, nameof(SimulatedWorld.Silos))]
    [InlineData(null, null, nameof(SimulatedWorld.Views))]
    [InlineData(null, null, nameof(SimulatedWorld.Lattices))]
    public void The_command_that_is_told_of_a_seed_that_failed_runs_the_same_world_again(int? clusters, int? silos, string world)
    {
        var work = new ShardWork(1, 2, From: 1, Seeds: 1000, clusters, silos, Enum.Parse<SimulatedWorld>(world));
        ShardWork? parsed = null;
        var command = SimulateCommand.Create((_, again, _) =>
        {
            parsed = again;
            return Task.FromResult(0);
        });

        Assert.Equal(0, command.Parse(work.CommandOf(71)["simulate ".Length..]).Invoke());

        Assert.Equal(work with { Index = 0, Of = 1, From = 71, Seeds = 1 }, parsed);
    }

    [Fact]
    public void Progress_says_how_many_seeds_how_fast_and_how_much_time_was_simulated()
    {
        var half = new ShardLine(1000, 6_000_000, 33_000, CpuSeconds: 8, Traces: 1UL << 63);
        var progress = new SearchProgress(
            half.With(half with { Traces = half.Traces + 5 }), 10_000, 40, TimeSpan.FromSeconds(10)).ToString();
        Assert.Contains("2,000 of 10,000 seeds", progress, StringComparison.Ordinal);
        Assert.Contains("200/s, 125.0 a CPU second", progress, StringComparison.Ordinal);
        Assert.Contains("traces 0000000000000005", progress, StringComparison.Ordinal);
        Assert.Contains("6,600x real time", progress, StringComparison.Ordinal);
    }
}
