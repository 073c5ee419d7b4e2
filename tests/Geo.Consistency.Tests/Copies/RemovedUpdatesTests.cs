namespace Geo.Consistency.Tests.Copies;

public sealed class RemovedUpdatesTests
{
    private readonly RemovedUpdates _removed = new();

    [Fact]
    public void Who_waits_for_one_update_hears_of_that_one_alone()
    {
        Remove(3, 4);
        Assert.Equal([false, true, true, false], new long[] { 2, 3, 4, 5 }.Select(n => _removed.ReasonFor(WaitKind.One, n, 0) is not null));
        Assert.Null(_removed.ReasonFor(WaitKind.Latest, 9, 0));
        Assert.Null(_removed.ReasonFor(WaitKind.Confirm, 2, 0));
    }

    [Fact]
    public void Who_waited_when_another_was_told_is_told_too_and_who_comes_later_is_not()
    {
        Remove(3, 4);
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
        Remove(3, 3);
        _removed.Add(new(new(5, 6), AreTold: false), new GeoOutcomeUnknownException("lost"));
        var both = Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.Confirm, 9, 0));
        Assert.Equal("lost So were others, 1 times.", both.Message);
        Assert.IsType<GeoSerializationException>(_removed.ReasonFor(WaitKind.Confirm, 4, 0));
    }

    [Fact]
    public void What_a_session_has_seen_is_lost_in_doubt_or_untouched()
    {
        Remove(3, 4);
        MarkState?[] expected = [null, MarkState.Lost, MarkState.Lost, null];
        Assert.Equal(expected, new long[] { 2, 3, 4, 5 }.Select(StateOf));

        // Of those between the first and the last that the session names nobody knows whether they are its own.
        Assert.Equal(MarkState.Lost, _removed.StateOf(new(1, 4)));
        Assert.Equal(MarkState.Doubtful, _removed.StateOf(new(1, 9)));
        Assert.Equal(MarkState.Doubtful, _removed.StateOf(new(4, 9)));
        Assert.Null(_removed.StateOf(new(5, 9)));
    }

    [Fact]
    public void Of_more_than_are_told_apart_the_oldest_are_in_doubt_and_none_is_forgotten()
    {
        for (var i = 1; i <= 100; i++)
        {
            Remove(10 * i, (10 * i) + 1);
        }

        Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.One, 10, 0));
        Assert.IsType<GeoSerializationException>(_removed.ReasonFor(WaitKind.One, 1_000, 0));
        Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.Confirm, 10, 0));
        Assert.Equal((MarkState.Doubtful, MarkState.Lost), (StateOf(10), StateOf(1_000)));
        Assert.True(_removed.ReasonFor(WaitKind.Confirm, 2_000, 0)!.Message.Length < 1_000);
        _removed.Told(WaitKind.Confirm, 2_000, 0);
        Assert.Null(_removed.ReasonFor(WaitKind.Confirm, 2_000, _removed.Tellings));
    }

    [Fact]
    public void A_run_that_is_taken_out_one_by_one_is_as_certain_as_one()
    {
        for (var i = 1; i <= 100; i++)
        {
            Remove(i, i);
        }

        Remove(150, 150);
        Assert.IsType<GeoSerializationException>(_removed.ReasonFor(WaitKind.Confirm, 200, 0));
        Assert.Equal("1 So were more that followed.", _removed.ReasonFor(WaitKind.One, 50, 0)!.Message);
        Assert.Null(_removed.ReasonFor(WaitKind.One, 101, 0));
        Assert.Equal((MarkState.Lost, null), (StateOf(7), StateOf(149)));
    }

    [Fact]
    public void Of_more_than_are_told_apart_the_two_nearest_become_one_and_those_far_apart_stay()
    {
        long[] firsts = [10, 1_000, 2_000, 2_010, .. Enumerable.Range(3, 13).Select(i => 1_000L * i)];
        foreach (var first in firsts.Order().Reverse())
        {
            Remove(first, first);
        }

        Assert.Null(_removed.ReasonFor(WaitKind.One, 500, 0));
        Assert.Null(StateOf(500));
        Assert.Equal((MarkState.Lost, MarkState.Lost), (StateOf(10), StateOf(1_000)));
        Assert.Equal(MarkState.Doubtful, StateOf(2_005));
        Assert.IsType<GeoOutcomeUnknownException>(_removed.ReasonFor(WaitKind.One, 2_005, 0));
    }

    [Fact]
    public void When_many_that_are_near_each_other_come_after_some_that_are_not_the_newest_are_told_apart()
    {
        foreach (var number in Enumerable.Range(1, 16).Select(i => 1_000L * i)
            .Concat(Enumerable.Range(1, 100).Select(i => 20_000L + (2 * i))))
        {
            Remove(number, number);
        }

        Assert.Equal((MarkState.Lost, null), (StateOf(20_200), StateOf(20_199)));
        Assert.Equal((MarkState.Lost, null), (StateOf(20_190), StateOf(20_189)));
        Assert.Null(_removed.ReasonFor(WaitKind.One, 20_199, 0));
    }

    [Fact]
    public void Many_that_are_told_apart_no_more_have_a_short_reason()
    {
        var random = new Random(1);
        for (var i = 1; i <= 1_000; i++)
        {
            var number = random.NextInt64(1, 1_000_000);
            Remove(number, number);
        }

        Assert.True(_removed.ReasonFor(WaitKind.Confirm, 2_000_000, 0)!.Message.Length < 1_000);
    }

    [Fact]
    public void Runs_of_those_that_are_told_apart_no_more_have_a_short_reason_too()
    {
        for (var i = 1; i <= 16; i++)
        {
            RemoveUnknown(1_000_000 * i);
        }

        // In turns one before becomes one with it, and the one that follows a run with both.
        for (var i = 1; i <= 100; i++)
        {
            RemoveUnknown(1_000_000 - (3 * i));
            RemoveUnknown(1_000_000 + i);
        }

        Assert.True(_removed.ReasonFor(WaitKind.One, 1_000_000, 0)!.Message.Length < 1_000);
    }

    private MarkState? StateOf(long number) => _removed.StateOf(new(number, number));

    private void RemoveUnknown(long number) =>
        _removed.Add(new(new(number, number), AreTold: false), new GeoOutcomeUnknownException($"{number}"));

    private void Remove(long first, long last) =>
        _removed.Add(new(new(first, last), AreTold: false), new GeoSerializationException($"{first}"));
}
