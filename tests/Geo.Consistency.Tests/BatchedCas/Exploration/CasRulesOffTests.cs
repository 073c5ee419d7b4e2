namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>Random schedules of the rules alone: each rule is missed when it is switched off.</summary>
public sealed class CasRulesOffTests
{
    public static TheoryData<string> Rules => [.. Enum.GetNames<CasRule>()];

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_rule_that_is_switched_off_is_missed(string rule)
    {
        var off = Enum.Parse<CasRule>(rule);
        CasRules.SwitchOff(off);
        try
        {
            Assert.Contains(Enumerable.Range(1, 20_000), seed => IsBroken(seed, off == CasRule.Replaced));
        }
        finally
        {
            CasRules.SwitchOff(null);
        }
    }

    private static bool IsBroken(int seed, bool isSetBack)
    {
        try
        {
            new ExploredCasWorld(seed, isSetBack).Run();
            return false;
        }
        catch (ExploredCasException)
        {
            return true;
        }
    }
}
