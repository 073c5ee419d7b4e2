using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Tests.Messaging.Claims;

public sealed class SpreadTests
{
    [Fact]
    public void The_median_of_an_odd_number_is_the_middle_one() => Assert.Equal(new Spread(3, 1, 9), Spread.Of([9, 1, 3]));

    [Fact]
    public void The_median_of_an_even_number_is_the_mean_of_the_middle_two() =>
        Assert.Equal(new Spread(2.5, 1, 9), Spread.Of([9, 2, 1, 3]));

    [Fact]
    public void Nothing_has_a_spread_of_zeros() => Assert.Equal(default, Spread.Of([]));
}
