namespace Geo.Consistency.Tests.Copies;

public sealed class RefusedUpdatesTests
{
    private readonly RefusedUpdates _refused = new();

    [Fact]
    public void Who_has_seen_the_last_of_them_has_seen_what_is_lost_and_who_has_seen_more_may_have()
    {
        _refused.Add(5, isCertain: true);
        _refused.Add(6, isCertain: true);
        MarkState?[] expected = [null, MarkState.Lost, MarkState.Lost, null];
        Assert.Equal(expected, new long[] { 4, 5, 6, 7 }.Select(n => _refused.StateOf(new(n, n))));
        Assert.Equal(MarkState.Lost, _refused.StateOf(new(3, 6)));
        Assert.Equal(MarkState.Doubtful, _refused.StateOf(new(3, 9)));
        Assert.Equal(NumberRanges.Of(new NumberRange(5, 6)), _refused.All);
    }

    [Fact]
    public void What_may_be_in_a_version_is_doubtful()
    {
        _refused.Add(5, isCertain: true);
        _refused.Add(4, isCertain: false);
        Assert.Equal((MarkState.Doubtful, MarkState.Lost), (_refused.StateOf(new(4, 4)), _refused.StateOf(new(5, 5))));
        Assert.Equal(NumberRanges.Of(new NumberRange(4, 5)), _refused.All);
    }

    [Fact]
    public void Of_more_than_are_told_apart_the_nearest_become_one_and_none_is_forgotten()
    {
        for (var i = 1; i <= 100; i++)
        {
            _refused.Add(10 * i, isCertain: true);
        }

        _refused.Add(3_000, isCertain: true);
        Assert.Equal((MarkState.Doubtful, MarkState.Doubtful), (_refused.StateOf(new(10, 10)), _refused.StateOf(new(15, 15))));
        Assert.Equal((MarkState.Lost, null), (_refused.StateOf(new(1_000, 1_000)), _refused.StateOf(new(995, 995))));
        Assert.Null(_refused.StateOf(new(2_000, 2_000)));
        Assert.Equal("10 to 980, 990 to 990, 1000 to 1000, 3000 to 3000", $"{_refused.All}");
    }

    [Fact]
    public void When_many_that_are_near_each_other_come_after_some_that_are_not_the_newest_are_told_apart()
    {
        foreach (var number in Enumerable.Range(1, 16).Select(i => 1_000L * i)
            .Concat(Enumerable.Range(1, 100).Select(i => 20_000L + (2 * i))))
        {
            _refused.Add(number, isCertain: true);
        }

        Assert.Equal((MarkState.Lost, null), (_refused.StateOf(new(20_200, 20_200)), _refused.StateOf(new(20_199, 20_199))));
        Assert.Equal((MarkState.Lost, null), (_refused.StateOf(new(20_190, 20_190)), _refused.StateOf(new(20_189, 20_189))));
    }
}
