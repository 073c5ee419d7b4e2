using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Tests.Messaging.Claims;

public sealed class LimitTests
{
    [Theory]
    [InlineData(0.8, true)]
    [InlineData(0.7999, false)]
    [InlineData(double.NaN, false)]
    public void A_lower_limit_is_met_from_its_value_on(double ratio, bool isMet) => Assert.Equal(isMet, Limit.AtLeast(0.8).IsMetBy(ratio));

    [Theory]
    [InlineData(1.1, true)]
    [InlineData(1.1001, false)]
    [InlineData(double.NaN, false)]
    public void An_upper_limit_is_met_up_to_its_value(double ratio, bool isMet) => Assert.Equal(isMet, Limit.AtMost(1.1).IsMetBy(ratio));
}
