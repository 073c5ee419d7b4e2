namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>Random schedules of the rules alone: what they promise holds in all.</summary>
public sealed class CasExplorationTests
{
    /// <summary>How many schedules a run has; by the environment's GEO_CAS_SCHEDULES for more.</summary>
    private static readonly int Schedules =
        int.TryParse(Environment.GetEnvironmentVariable("GEO_CAS_SCHEDULES"), out var schedules) ? schedules : 20_000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Each_update_is_applied_once_in_order_and_on_its_condition_whoever_writes_it(bool isSetBack)
    {
        var (confirmed, refused, lost, handIns, forOthers, setBacks, missed) = (0L, 0L, 0L, 0L, 0L, 0L, 0L);
        for (var seed = 1; seed <= Schedules; seed++)
        {
            var world = new ExploredCasWorld(seed, isSetBack);
            try
            {
                world.Run();
            }
            catch (ExploredCasException e)
            {
                Assert.Fail($"schedule {seed}: {e.Message}");
            }

            confirmed += world.Confirmed;
            refused += world.Refused;
            lost += world.Lost;
            handIns += world.HandIns;
            forOthers += world.WrittenForOthers;
            setBacks += world.NoticedSetBacks;
            missed += world.MissedSetBacks;
        }

        TestContext.Current.SendDiagnosticMessage(
            $"{Schedules} schedules: {confirmed} confirmed, {refused} refused, {lost} outcomes lost and said so, {handIns} hand-ins, "
            + $"{forOthers} written for others, {setBacks} times a replaced history noticed, {missed} times not");
        Assert.True(confirmed > Schedules && refused > Schedules / 10 && lost > Schedules / 100);
        Assert.True(handIns > Schedules && forOthers > Schedules / 10 && (setBacks > 0) == isSetBack && missed * 20 <= setBacks);
    }
}
