using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>The register that ships, over networks and stores that fail: whatever happens, it is one register.</summary>
public class QuorumSimulationTests
{
    private const int Seeds = 60;

    private static readonly string[] Keys = ["a", "b"];

    public static TheoryData<string> Settings => [.. QuorumSetting.All.Keys];

    [Theory, MemberData(nameof(Settings))]
    public void Is_linearizable_under_every_fault(string setting)
    {
        var (applied, unknown) = (0, 0);
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var world = new QuorumWorld(seed, QuorumSetting.All[setting]);
            world.Run(TimeSpan.FromSeconds(10), Keys);
            var verdict = world.Check();
            Assert.True(verdict.Outcome == HistoryOutcome.Holds, $"seed {seed} of '{setting}': {verdict.Explanation}");
            (applied, unknown) = (applied + world.Applied, unknown + world.Unknown);
        }

        Assert.True(applied > 5 * Seeds, $"{applied} writes applied, {unknown} unknown");
    }
}
