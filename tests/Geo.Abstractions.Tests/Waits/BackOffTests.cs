namespace Geo.Abstractions.Tests.Waits;

public sealed class BackOffTests
{
    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan Maximum = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(1, 5)]
    [InlineData(2, 10)]
    [InlineData(5, 80)]
    [InlineData(6, 100)]
    [InlineData(int.MaxValue, 100)]
    public void A_wait_doubles_up_to_its_bound(int times, int milliseconds)
    {
        var whole = TimeSpan.FromMilliseconds(milliseconds);
        var random = new Random(1);

        Assert.Equal(whole, BackOff.Doubled(times, First, Maximum));
        for (var draw = 0; draw < 1000; draw++)
        {
            Assert.InRange(BackOff.AfterFailures(times, First, Maximum, random), whole / 2, whole);
            Assert.InRange(BackOff.AfterConflicts(times, First, Maximum, random), TimeSpan.Zero, whole);
        }
    }
}
