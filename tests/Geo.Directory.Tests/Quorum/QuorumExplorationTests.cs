namespace Geo.Directory.Tests.Quorum;

/// <summary>
/// Random schedules of silos that own grains by majority, with crashes, cuts, frozen processes, clocks that run at different rates and
/// stores whose answers are lost or late: never two that serve a grain, epochs that only grow, and every grain answered everywhere soon
/// after the last fault. Each rule that is switched off is missed by one.
/// </summary>
public sealed class QuorumExplorationTests(ITestOutputHelper output)
{
    private const int MaxSeeds = 1000;

    private static readonly TimeSpan Faults = TimeSpan.FromSeconds(30);

    private static int Seeds { get; } = int.TryParse(Environment.GetEnvironmentVariable("GEO_QUORUM_SEEDS"), out var seeds) ? seeds : 100;

    private static int First { get; } = int.TryParse(Environment.GetEnvironmentVariable("GEO_QUORUM_FROM"), out var first) ? first : 1;

    [Fact]
    public void No_grain_has_two_owners_and_each_is_answered_after_the_last_fault()
    {
        var (answered, tenancies) = (0L, 0L);
        for (var seed = First; seed < First + Seeds; seed++)
        {
            try
            {
                var end = QuorumSchedule.Run(seed, Faults);
                (answered, tenancies) = (answered + end.Answered, tenancies + end.Tenancies);
            }
            catch (Exception e)
            {
                Assert.Fail($"seed {seed}: {e.Message}");
            }
        }

        output.WriteLine($"{Seeds} schedules: {answered} calls answered, {tenancies} tenancies");
        Assert.True(answered > 10 * Seeds && tenancies > 3 * Seeds, $"{answered} calls, {tenancies} tenancies: too little happens");
    }

    [Fact]
    public void Nor_has_it_while_clusters_leave_and_return()
    {
        for (var seed = First; seed < First + Seeds; seed++)
        {
            try
            {
                QuorumSchedule.Run(seed, Faults, clustersLeave: true);
            }
            catch (Exception e)
            {
                Assert.Fail($"seed {seed}: {e.Message}");
            }
        }
    }

    [Theory]
    [InlineData(nameof(ProtocolRule.LeaseIsHeld))]
    [InlineData(nameof(ProtocolRule.SilenceIsAwaited))]
    [InlineData(nameof(ProtocolRule.EndIsStored))]
    [InlineData(nameof(ProtocolRule.OwnerIsCompared))]
    [InlineData(nameof(ProtocolRule.OverIsAwaited))]
    [InlineData(nameof(ProtocolRule.TenancyNamesLease))]
    [InlineData(nameof(ProtocolRule.EpochGrows))]
    public void A_rule_that_is_off_is_missed(string rule)
    {
        SwitchedOff.Set([Enum.Parse<ProtocolRule>(rule)]);
        try
        {
            for (var seed = 1; seed <= MaxSeeds; seed++)
            {
                if (Fault(seed) is { } fault)
                {
                    output.WriteLine($"{rule} is missed by seed {seed}: {fault}");
                    return;
                }
            }

            Assert.Fail($"{rule}: {MaxSeeds} seeds found nothing");
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private static string? Fault(int seed)
    {
        try
        {
            QuorumSchedule.Run(seed, Faults);
            return null;
        }
        catch (Exception e) when (e.ToString() is var text)
        {
            // That a call is not answered may have another cause.
            return text.Contains("is served by", StringComparison.Ordinal) || text.Contains("after epoch", StringComparison.Ordinal)
                ? e.Message : null;
        }
    }
}
