using System.Globalization;
using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>The register that ships, over networks and stores that fail: whatever happens, it is one register.</summary>
public sealed class QuorumSimulationTests(ITestOutputHelper output)
{
    private const int Seeds = 200;

    private static readonly string[] Keys = ["a", "b"];

    public static TheoryData<string> Settings => [.. QuorumSetting.All.Keys];

    [Theory, MemberData(nameof(Settings))]
    public void Is_linearizable_under_every_fault(string setting) => Search(setting, 1, Seeds);

    /// <summary>As many seeds as <c>GEO_QUORUM_SEEDS</c> says, of each setting.</summary>
    [Theory(Explicit = true), MemberData(nameof(Settings))]
    public void Is_linearizable_in_a_long_search(string setting) => Search(
        setting, 1_000_000,
        int.Parse(Environment.GetEnvironmentVariable("GEO_QUORUM_SEEDS") ?? "10000", CultureInfo.InvariantCulture));

    private void Search(string setting, int first, int seeds)
    {
        var (applied, unknown) = (0, 0);
        for (var seed = first; seed < first + seeds; seed++)
        {
            var world = new QuorumWorld(seed, QuorumSetting.All[setting]);
            try
            {
                world.Run(TimeSpan.FromSeconds(10), Keys);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"seed {seed} of '{setting}': {e.Message}", e);
            }

            var verdict = world.Check();
            Assert.True(verdict.Outcome == HistoryOutcome.Holds, $"seed {seed} of '{setting}': {verdict.Explanation}");
            (applied, unknown) = (applied + world.Applied, unknown + world.Unknown);
        }

        output.WriteLine($"{setting}: {seeds} seeds, {applied} writes applied, {unknown} unknown");
        Assert.True(applied > 5 * seeds, $"{applied} writes applied, {unknown} unknown");
    }
}
