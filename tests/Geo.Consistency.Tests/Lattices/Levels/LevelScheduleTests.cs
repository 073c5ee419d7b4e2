using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Levels;

/// <summary>
/// Random sessions at each level. Its checker finds nothing when the level is on, and the anomaly that it forbids when the level below is.
/// </summary>
public sealed class LevelScheduleTests
{
    private const int Seeds = 100;

    public static TheoryData<ConsistencyLevel> Levels => [.. Enum.GetValues<ConsistencyLevel>()];

    /// <summary>Each level, and one below it that does not forbid what it forbids.</summary>
    public static TheoryData<ConsistencyLevel, ConsistencyLevel> Below => new()
    {
        { ConsistencyLevel.MonotonicReads, ConsistencyLevel.SimpleEventual },
        { ConsistencyLevel.ReadYourWrites, ConsistencyLevel.SimpleEventual },
        { ConsistencyLevel.ReadYourWrites, ConsistencyLevel.MonotonicReads },
        { ConsistencyLevel.MonotonicWrites, ConsistencyLevel.SimpleEventual },
        { ConsistencyLevel.WritesFollowReads, ConsistencyLevel.SimpleEventual },
        { ConsistencyLevel.WritesFollowReads, ConsistencyLevel.MonotonicWrites },
        { ConsistencyLevel.Pram, ConsistencyLevel.MonotonicReads },
        { ConsistencyLevel.Pram, ConsistencyLevel.ReadYourWrites },
        { ConsistencyLevel.Pram, ConsistencyLevel.MonotonicWrites },
        { ConsistencyLevel.Causal, ConsistencyLevel.Pram },
        { ConsistencyLevel.Causal, ConsistencyLevel.WritesFollowReads },
        { ConsistencyLevel.ReadUncommitted, ConsistencyLevel.SimpleEventual },
        { ConsistencyLevel.ReadCommitted, ConsistencyLevel.ReadUncommitted },
        { ConsistencyLevel.ItemCut, ConsistencyLevel.ReadCommitted },
    };

    [Theory]
    [MemberData(nameof(Levels))]
    public void A_level_keeps_what_it_promises_and_replicas_converge(ConsistencyLevel level)
    {
        var (served, missed) = (0, 0);
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds))
        {
            var schedule = new LevelSchedule(seed.Value, level);
            var history = schedule.Run();
            foreach (var included in Enum.GetValues<ConsistencyLevel>().Where(l => level.Includes(l)))
            {
                var verdict = LevelChecker.Check(history, included);
                Assert.True(verdict.Outcome == HistoryOutcome.Holds, $"seed {seed}: {verdict.Explanation}");
            }

            (served, missed) = (served + schedule.Served, missed + schedule.Missed);
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{level}: {served} calls and transactions served, {missed} missed");
        Assert.True(served > missed);
    }

    [Theory]
    [MemberData(nameof(Below))]
    public void The_anomaly_that_a_level_forbids_is_found_at_the_level_below(ConsistencyLevel level, ConsistencyLevel below)
    {
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var verdict = LevelChecker.Check(new LevelSchedule(seed, below).Run(), level);
            if (verdict.Outcome == HistoryOutcome.Violated)
            {
                TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}: {verdict.Explanation}");
                return;
            }
        }

        Assert.Fail($"{below} is as good as {level}.");
    }

    [Theory]
    [InlineData(nameof(LatticeRule.Repair), ConsistencyLevel.SimpleEventual)]
    [InlineData(nameof(LatticeRule.Follow), ConsistencyLevel.MonotonicWrites)]
    [InlineData(nameof(LatticeRule.Follow), ConsistencyLevel.WritesFollowReads)]
    [InlineData(nameof(LatticeRule.Follow), ConsistencyLevel.Pram)]
    [InlineData(nameof(LatticeRule.Follow), ConsistencyLevel.Causal)]
    public void Each_rule_is_missed_when_it_is_off(string rule, ConsistencyLevel level)
    {
        LatticeRules.SwitchOff(Enum.Parse<LatticeRule>(rule));
        try
        {
            for (var seed = 1; seed <= Seeds; seed++)
            {
                var history = new LevelSchedule(seed, level).Run();
                var found = Enum.GetValues<ConsistencyLevel>().Where(l => level.Includes(l))
                    .Select(l => LevelChecker.Check(history, l)).FirstOrDefault(v => v.Outcome == HistoryOutcome.Violated);
                if (found is not null)
                {
                    TestContext.Current.TestOutputHelper?.WriteLine($"{rule} is missed at seed {seed}: {found.Explanation}");
                    return;
                }
            }
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }

        Assert.Fail($"Nothing notices that {rule} is off.");
    }
}
