namespace Geo.Testing.Tests;

public class MultiClusterSimulationTests(ITestOutputHelper output)
{
    private const int Seeds = 200;

    [Fact]
    public void Two_hundred_seeds_hold_every_invariant_and_exercise_every_fault()
    {
        var total = new SimulationCounts();
        var failures = new List<string>();
        var steps = 0L;
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds))
        {
            try
            {
                var report = MultiClusterSimulation.Run(seed);
                total.Add(report.Counts);
                steps += report.Steps;
            }
            catch (SimulationException e)
            {
                failures.Add(e.Message);
            }
        }

        output.WriteLine($"{steps} steps: {total}");
        Assert.True(failures.Count == 0, $"{failures.Count} seeds failed:{Environment.NewLine}{string.Join(Environment.NewLine, failures.Take(20))}");
    }
}
