namespace Geo.Consistency.Tests.BatchedCas.Rules;

/// <summary>How an instance comes to see that another one is faster at the store than itself.</summary>
public sealed class CasPaceTests
{
    private static readonly CasWriter Near = new(new("near"), 2);
    private static readonly CasWriter Other = new(new("other"), 3);

    [Fact]
    public void A_time_that_is_measured_again_and_again_counts_for_a_quarter_each_time_and_the_first_one_whole()
    {
        Assert.Equal(Ms(100), CasPace.Initial.Took(Ms(100)).Operation);
        Assert.Equal(Ms(125), CasPace.Initial.Took(Ms(100)).Took(Ms(200)).Operation);
        Assert.Equal(Ms(80), CasPace.Initial.Helped(Ms(80)).Help);
        Assert.Equal(Ms(70), CasPace.Initial.Helped(Ms(80)).Helped(Ms(40)).Help);
    }

    [Fact]
    public void The_time_between_two_versions_is_known_of_one_writer_that_made_both()
    {
        var once = CasPace.Initial.Saw(Near, 1, Ms(10));
        Assert.Equal((Near, Ms(10), TimeSpan.MaxValue), (once.Writer, once.SeenAt, once.Interval));

        var twice = once.Saw(Near, 1, Ms(25));
        Assert.Equal((Near, Ms(25), Ms(15)), (twice.Writer, twice.SeenAt, twice.Interval));

        var another = twice.Saw(Other, 1, Ms(30));
        Assert.Equal((Other, Ms(30), TimeSpan.MaxValue), (another.Writer, another.SeenAt, another.Interval));

        foreach (var own in new[] { twice.Saw(new(new("here"), 1), 1, Ms(40)), twice.Saw(default, 1, Ms(40)) })
        {
            Assert.Equal((default, TimeSpan.MaxValue), (own.Writer, own.Interval));
        }
    }

    [Theory]
    [InlineData(100, 199, 0, true)]
    [InlineData(100, 200, 0, false)]
    [InlineData(100, 199, 499, true)]
    [InlineData(100, 199, 500, false)]
    [InlineData(300, 599, 599, true)]
    [InlineData(300, 599, 600, false)]
    public void A_writer_is_faster_whose_versions_come_within_two_own_operations_and_the_last_of_them_lately(
        int operation, int interval, int ago, bool isContended)
    {
        var pace = CasPace.Initial.Took(Ms(operation)).Saw(Near, 1, Ms(1_000)).Saw(Near, 1, Ms(1_000 + interval));

        Assert.Equal(isContended, pace.IsContended(Ms(1_000 + interval + ago)));
        Assert.False(pace.Saw(default, 1, Ms(1_000 + interval)).IsContended(Ms(1_000 + interval)));
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, true)]
    [InlineData(149, true)]
    [InlineData(150, false)]
    public void Help_is_near_that_takes_less_than_half_an_operation_longer(int help, bool isNear) =>
        Assert.Equal(isNear, (CasPace.Initial.Took(Ms(100)) with { Help = Ms(help) }).IsHelpNear);

    [Fact]
    public void Whom_nobody_helped_makes_so_many_operations_of_its_own_before_it_asks_again()
    {
        var pace = CasPace.Initial.HelpsItself(2);

        CasPace[] course = [pace, pace.Begins(), pace.Begins().Begins(), pace.Begins().Begins().Begins()];
        Assert.Equal([2, 1, 0, 0], course.Select(after => after.OwnFirst));
    }

    private static TimeSpan Ms(int milliseconds) => TimeSpan.FromMilliseconds(milliseconds);
}
