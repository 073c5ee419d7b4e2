namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>Random schedules of the rules alone: what they promise holds in all.</summary>
public sealed class LeaderExplorationTests
{
    /// <summary>How many schedules of each setting a run has; by the environment's GEO_LEADER_SCHEDULES for more.</summary>
    private static readonly int Schedules =
        int.TryParse(Environment.GetEnvironmentVariable("GEO_LEADER_SCHEDULES"), out var schedules) ? schedules : 2_000;

    public static TheoryData<string> Settings => [.. ExploredSetting.All.Select(s => s.Name)];

    [Theory]
    [MemberData(nameof(Settings))]
    public void Nothing_confirmed_is_lost_doubled_reordered_or_read_stale(string name)
    {
        var setting = ExploredSetting.All.Single(s => s.Name == name);
        var (confirmed, reads, terms, refusals, losses) = (0L, 0L, 0L, 0L, 0L);
        for (var seed = 1; seed <= Schedules; seed++)
        {
            var world = new ExploredWorld(setting, seed);
            try
            {
                world.Run();
            }
            catch (ExplorationException e)
            {
                Assert.Fail($"{setting}, schedule {seed}: {e.Message}");
            }

            confirmed += world.Confirmed;
            reads += world.Reads;
            terms += world.Terms;
            refusals += world.Refusals;
            losses += world.Losses;
        }

        TestContext.Current.SendDiagnosticMessage(
            $"{setting}: {Schedules} schedules, {confirmed} confirmed, {reads} linearizable reads, {terms} terms, {refusals} refused, "
            + $"{losses} stated losses");
        Assert.True(confirmed > Schedules / 20 && reads > Schedules / 200 && terms > Schedules / 5 && refusals > Schedules / 20);
    }
}
