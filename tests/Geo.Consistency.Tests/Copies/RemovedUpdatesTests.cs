namespace Geo.Consistency.Tests.Copies;

public sealed class RemovedUpdatesTests
{
    private readonly RemovedUpdates _removed = new();

    [Fact]
    public void Who_waits_for_one_update_hears_of_that_one_alone()
    {
        Remove(3, 4, newest: 9);
        Assert.Equal([false, true, true, false], new long[] { 2, 3, 4, 5 }.Select(n => _removed.ReasonFor(WaitKind.One, n, 0) is not null));
        Assert.Null(_removed.ReasonFor(WaitKind.Latest, 9, 0));
        Assert.Null(_removed.ReasonFor(WaitKind.Confirm, 2, 0));
    }

    [Fact]
    public void Who_waited_when_another_was_told_is_told_too_and_who_comes_later_is_not()
    {
        Remove(3, 4, newest: 9);
        var since = _removed.Tellings;
        _removed.Told(WaitKind.Confirm, 9, since);
        Assert.NotNull(_removed.ReasonFor(WaitKind.Confirm, 9, since));
        Assert.NotNull(_removed.ReasonFor(WaitKind.Refresh, 9, since));
        Assert.Null(_removed.ReasonFor(WaitKind.Confirm, 9, _removed.Tellings));
        Assert.Null(_removed.ReasonFor(WaitKind.Refresh, 9, _removed.Tellings));
    }

    [Fact]
    public void One_reason_that_leaves_doubt_makes_all_doubtful()
    {
        Remove(3, 3, newest: 9);
        _removed.Add(new(5, 6, AreTold: false), 9, new GeoOutcomeUnknownException("lost"));
        var both = Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.Confirm, 9, 0));
        Assert.Equal("lost So were others, 1 times.", both.Message);
        Assert.IsType<GeoSerializationException>(_removed.ReasonFor(WaitKind.Confirm, 4, 0));
    }

    [Fact]
    public void What_a_session_has_seen_is_lost_in_doubt_or_untouched()
    {
        Remove(3, 4, newest: 9);
        MarkState?[] expected = [null, MarkState.Lost, MarkState.Lost, MarkState.Doubtful, MarkState.Doubtful, null];
        Assert.Equal(expected, new long[] { 2, 3, 4, 5, 9, 10 }.Select(_removed.StateOf));
    }

    [Fact]
    public void Of_more_than_are_told_apart_the_oldest_are_in_doubt_and_none_is_forgotten()
    {
        for (var i = 1; i <= 100; i++)
        {
            Remove(10 * i, (10 * i) + 1, newest: (10 * i) + 2);
        }

        Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.One, 10, 0));
        Assert.IsType<GeoSerializationException>(_removed.ReasonFor(WaitKind.One, 1_000, 0));
        Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.Confirm, 10, 0));
        Assert.Equal((MarkState.Doubtful, MarkState.Lost), (_removed.StateOf(10), _removed.StateOf(1_000)));
        Assert.True(_removed.ReasonFor(WaitKind.Confirm, 2_000, 0)!.Message.Length < 1_000);
        _removed.Told(WaitKind.Confirm, 2_000, 0);
        Assert.Null(_removed.ReasonFor(WaitKind.Confirm, 2_000, _removed.Tellings));
    }

    [Fact]
    public void A_run_that_is_taken_out_one_by_one_is_as_certain_as_one()
    {
        for (var i = 1; i <= 100; i++)
        {
            Remove(i, i, newest: 200);
        }

        Remove(150, 150, newest: 200);
        Assert.IsType<GeoSerializationException>(_removed.ReasonFor(WaitKind.Confirm, 200, 0));
        Assert.Equal("1 So were more that followed.", _removed.ReasonFor(WaitKind.One, 50, 0)!.Message);
        Assert.Null(_removed.ReasonFor(WaitKind.One, 101, 0));
        Assert.Equal((MarkState.Lost, MarkState.Doubtful), (_removed.StateOf(7), _removed.StateOf(149)));
    }

    private void Remove(long first, long last, long newest) =>
        _removed.Add(new(first, last, AreTold: false), newest, new GeoSerializationException($"{first}"));
}
