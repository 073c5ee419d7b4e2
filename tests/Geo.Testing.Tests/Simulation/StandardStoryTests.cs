using System.Globalization;

namespace Geo.Testing.Tests;

/// <summary>Each situation that a run may be led into holds every invariant, and comes to what it is there for.</summary>
public class StandardStoryTests(ITestOutputHelper output)
{
    private static readonly int Seeds =
        int.Parse(Environment.GetEnvironmentVariable("GEO_STORY_SEEDS") ?? "30", CultureInfo.InvariantCulture);

    private static readonly int First =
        int.Parse(Environment.GetEnvironmentVariable("GEO_STORY_FROM") ?? "1", CultureInfo.InvariantCulture);

    public static TheoryData<string> Stories => [.. Enum.GetNames<StandardStory>()];

    [Theory]
    [MemberData(nameof(Stories))]
    public void A_story_holds_every_invariant(string story)
    {
        var options = new MultiClusterSimulationOptions { Story = Enum.Parse<StandardStory>(story) };
        var counts = new SimulationCounts();
        var failures = new List<string>();
        for (var seed = First; seed < First + Seeds; seed++)
        {
            try
            {
                counts.Add(MultiClusterSimulation.Run(new SimulationSeed(seed), options).Counts);
            }
            catch (SimulationException e)
            {
                failures.Add(e.Message);
            }
        }

        output.WriteLine($"{Seeds} seeds: {counts}");
        Assert.True(failures.Count == 0,
            $"{failures.Count} seeds failed:{Environment.NewLine}{string.Join(Environment.NewLine, failures)}");
    }
}
