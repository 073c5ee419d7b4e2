using Geo.Experiments.Soak.Faults;

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
    public void The_first_region_lives_through_the_last_two_thirds(int seed) => Assert.DoesNotContain(
        FaultPlan.Of(seed, HalfAnHour, 2),
        fault => fault is { Kind: FaultKind.Kill, Region: 0 } && fault.At > (HalfAnHour / 3) + TimeSpan.FromMinutes(1));

    [Fact]
    public void A_seed_makes_the_same_plan_again() => Assert.Equal(FaultPlan.Of(7, HalfAnHour, 2), FaultPlan.Of(7, HalfAnHour, 2));
}
