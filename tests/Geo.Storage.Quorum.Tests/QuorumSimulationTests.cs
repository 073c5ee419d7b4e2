using System.Globalization;
using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>The register that ships, over networks and stores that fail: whatever happens, it is one register.</summary>
public sealed class QuorumSimulationTests(ITestOutputHelper output)
{

    private static readonly string[] Keys = ["a", "b"];

    public static TheoryData<string> Settings => [.. QuorumSetting.All.Keys];

    public static TheoryData<string> Sought =>
    [
        .. QuorumSetting.All.Keys.Where(
            s => s.Contains(Environment.GetEnvironmentVariable("GEO_QUORUM_SETTING") ?? "", StringComparison.Ordinal)),
    ];

    [Theory, MemberData(nameof(Settings))]
    public void Is_linearizable_under_every_fault(string setting) =>
        Search(setting, 1, SeedsOf(QuorumSetting.All[setting]));

    /// <summary>
    /// As many seeds as <c>GEO_QUORUM_SEEDS</c> says, of each setting whose name has what <c>GEO_QUORUM_SETTING</c> says in it.
    /// </summary>
    [Theory(Explicit = true), MemberData(nameof(Sought))]
    public void Is_linearizable_in_a_long_search(string setting) => Search(
        setting, 1_000_000,
        int.Parse(Environment.GetEnvironmentVariable("GEO_QUORUM_SEEDS") ?? "10000", CultureInfo.InvariantCulture));

    // Each takes about as long: without faults thirty changes fall into one world, and each writes every key.
    private static int SeedsOf(QuorumSetting setting) => !setting.Changes ? 80 : setting.HasFaults ? 25 : 8;

    private void Search(string setting, int first, int seeds)
    {
        var (applied, unknown, changes, stuck) = (0, 0, 0, 0);
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
            (changes, stuck) = (changes + world.Changes, stuck + (world.IsStuck ? 1 : 0));
        }

        output.WriteLine($"{setting}: {seeds} seeds, {applied} writes applied, {unknown} unknown, {changes} changes, {stuck} stuck");

        // Between a loss and its end nothing is written.
        Assert.True(applied > (QuorumSetting.All[setting].GivesUp > 0 ? 3 : 5) * seeds, $"{applied} writes applied, {unknown} unknown");
        Assert.True(!QuorumSetting.All[setting].Changes || changes > seeds, $"{changes} changes");
        Assert.True(QuorumSetting.All[setting].GivesUp == 0 || changes >= seeds, $"{changes} forced");
        Assert.True(stuck < seeds / 4, $"{stuck} of {seeds} worlds have lost a majority");
    }
}
