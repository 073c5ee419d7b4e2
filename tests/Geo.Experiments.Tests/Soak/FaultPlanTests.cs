using Geo.Experiments.Soak.Faults;
using Geo.Experiments.Soak.Memory;

namespace Geo.Experiments.Tests.Soak;

public sealed class FaultPlanTests
{
    private static readonly TimeSpan HalfAnHour = TimeSpan.FromMinutes(30);

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 50)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Faults_of_one_target_do_not_overlap_and_all_are_over_before_the_end(int seed)
    {
        var plan = FaultPlan.Of(seed, HalfAnHour, 2);

        foreach (var target in plan.GroupBy(fault => fault.Target))
        {
            Assert.All(target.Zip(target.Skip(1)), pair => Assert.True(pair.First.At + pair.First.For < pair.Second.At));
        }

        Assert.All(plan, fault => Assert.InRange(fault.At + fault.For, TimeSpan.Zero, HalfAnHour - TimeSpan.FromSeconds(5)));
        Assert.Equal(Enum.GetValues<FaultKind>(), plan.Select(fault => fault.Kind).Distinct().Order());
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Each_region_has_a_life_that_its_memory_can_be_judged_in(int seed)
    {
        var kills = FaultPlan.Of(seed, HalfAnHour, 2).Where(fault => fault.Kind == FaultKind.Kill).ToArray();

        foreach (var region in Enumerable.Range(0, 2))
        {
            var ends = kills.Where(kill => kill.Region == region).Select(kill => kill.At).Append(HalfAnHour).ToArray();
            var lives = ends.Zip(ends.Prepend(TimeSpan.Zero), (end, begin) => end - begin);
            Assert.True(lives.Max() > MemoryTrend.WarmUp + MemoryTrend.Judged + TimeSpan.FromMinutes(1));
            Assert.Contains(kills, kill => kill.Region == region);
        }
    }

    [Fact]
    public void No_region_that_is_spared_is_killed_but_for_a_fault_that_had_to_wait()
    {
        foreach (var kill in Enumerable.Range(1, 50).SelectMany(seed => FaultPlan.Of(seed, HalfAnHour, 2)))
        {
            var isSpared = kill.Kind == FaultKind.Kill && FaultPlan.SparedAt(kill.At, HalfAnHour, 2) == kill.Region;
            Assert.False(isSpared && FaultPlan.SparedAt(kill.At - TimeSpan.FromMinutes(1), HalfAnHour, 2) == kill.Region);
        }
    }

    [Fact]
    public void A_seed_makes_the_same_plan_again() => Assert.Equal(FaultPlan.Of(7, HalfAnHour, 2), FaultPlan.Of(7, HalfAnHour, 2));
}
