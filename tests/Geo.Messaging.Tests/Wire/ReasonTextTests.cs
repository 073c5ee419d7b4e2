using System.Text;

namespace Geo.Messaging.Tests;

public sealed class ReasonTextTests
{
    [Theory]
    [InlineData(0, "")]
    [InlineData(1, "a")]
    [InlineData(2, "a")]
    [InlineData(3, "a")]
    [InlineData(4, "a€")]
    [InlineData(5, "a€b")]
    [InlineData(1000, "a€b")]
    public void A_reason_is_cut_to_what_its_recipient_takes_and_not_within_a_character(int maxBytes, string expected) =>
        Assert.Equal(expected, Encoding.UTF8.GetString(ReasonText.Write("a€b", maxBytes)));

    [Fact]
    public void A_reason_is_no_longer_than_anybody_reads() =>
        Assert.Equal(1000, ReasonText.Write(new string('x', 5000), int.MaxValue).Length);
}
