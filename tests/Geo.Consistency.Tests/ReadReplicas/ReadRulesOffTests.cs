namespace Geo.Consistency.Tests.ReadReplicas;

/// <summary>Random schedules of the rules alone: each rule is missed when it is switched off.</summary>
public sealed class ReadRulesOffTests
{
    [Theory]
    [InlineData(nameof(ReadCopyRule.Echo))]
    [InlineData(nameof(ReadCopyRule.Age))]
    [InlineData(nameof(ReadCopyRule.Rate))]
    [InlineData(nameof(ReadCopyRule.BothClocks))]
    [InlineData(nameof(ReadCopyRule.Newest))]
    public void A_rule_that_is_switched_off_is_missed(string rule)
    {
        ReadCopyRules.SwitchOff(Enum.Parse<ReadCopyRule>(rule));
        try
        {
            Assert.Contains(Enumerable.Range(1, 20_000), IsBroken);
        }
        finally
        {
            ReadCopyRules.SwitchOff(null);
        }
    }

    private static bool IsBroken(int seed)
    {
        try
        {
            new ExploredReadWorld(seed, isStored: true).Run();
            return false;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }
}
