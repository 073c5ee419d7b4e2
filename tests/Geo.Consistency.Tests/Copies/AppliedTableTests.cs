namespace Geo.Consistency.Tests.Copies;

public sealed class AppliedTableTests
{
    [Fact]
    public void It_keeps_the_last_number_of_the_instances_that_changed_last()
    {
        var table = AppliedTable.Empty.With(1, 10, 1, 2).With(2, 20, 2, 2).With(1, 11, 3, 2);
        Assert.Equal(0, table.ForgottenThrough);
        Assert.True(table.TryGetNumber(1, out var number));
        Assert.Equal(11, number);

        table = table.With(3, 30, 4, 2);
        Assert.Equal(2, table.ForgottenThrough);
        Assert.False(table.TryGetNumber(2, out _));
        Assert.True(table.TryGetNumber(1, out _));
    }

    [Fact]
    public void It_reads_back_what_it_wrote_and_refuses_what_is_cut_off()
    {
        var table = AppliedTable.Empty.With(long.MaxValue, 1, 2, 2).With(7, 3, 4, 2).With(8, 5, 6, 2);
        var writer = new PayloadWriter();
        table.Write(writer);
        var reader = new PayloadReader(writer.Written.Span);
        var read = AppliedTable.Read(ref reader);
        Assert.Equal(2, read.ForgottenThrough);
        Assert.True(read.TryGetNumber(7, out var number));
        Assert.Equal(3, number);
        Assert.True(reader.Rest.IsEmpty);
        Assert.Throws<GeoSerializationException>(() =>
        {
            var cut = new PayloadReader(writer.Written.Span[..^1]);
            AppliedTable.Read(ref cut);
        });
    }

    [Fact]
    public void It_says_from_where_to_where_changes_may_be_missing_and_nothing_of_those_before()
    {
        var table = AppliedTable.Empty.With(1, 6, 1, 2, Without([new(5, 6)], [])).With(1, 7, 2, 2)
            .With(1, 20, 3, 2, Without([new(19, 20)], [new(8, 8)])).With(2, 3, 4, 2);
        var writer = new PayloadWriter();
        table.Write(writer);
        var reader = new PayloadReader(writer.Written.Span);
        var read = AppliedTable.Read(ref reader);
        var gaps = Without([new(5, 6), new(19, 20)], [new(8, 8)]);
        Assert.Equal((20, gaps), read.NumberOf(i => i == 1));
        Assert.Equal((3, null), read.NumberOf(i => i == 2));
        Assert.Equal(
            [false, true, false, true, false], new long[] { 4, 5, 7, 20, 21 }.Select(n => gaps.Concern(Seen(n, n, isOnCondition: false))));
        Assert.True(gaps.Concern(Seen(3, 5, isOnCondition: false)));
    }

    [Fact]
    public void What_was_refused_matters_to_who_has_seen_updates_on_a_condition_alone()
    {
        var gaps = Without([], [new(8, 9)]);
        Assert.False(gaps.Concern(Seen(8, 8, isOnCondition: false)));
        Assert.Equal([false, true, true, false], new long[] { 7, 8, 9, 10 }.Select(n => gaps.Concern(Seen(n, n, isOnCondition: true))));
        Assert.True(gaps.Concern(Seen(2, 30, isOnCondition: true)));
    }

    [Theory]
    [InlineData(1, 0, 3)]
    [InlineData(1, 1, ulong.MaxValue)]
    [InlineData(1, ulong.MaxValue, 1)]
    [InlineData(1, long.MaxValue, 1)]
    [InlineData(5, 1, 1)]
    public void Gaps_that_cannot_be_are_refused(ulong count, ulong first, ulong length)
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned(count);
        for (var i = 0UL; i < count; i++)
        {
            writer.WriteUnsigned(first);
            writer.WriteUnsigned(length);
        }

        writer.WriteUnsigned(0);
        Assert.Throws<GeoSerializationException>(() =>
        {
            var reader = new PayloadReader(writer.Written.Span);
            UpdateGaps.Read(ref reader);
        });
    }

    [Fact]
    public void Of_more_gaps_than_a_table_tells_apart_those_between_the_older_are_in_doubt()
    {
        var table = AppliedTable.Empty;
        for (var i = 1; i <= 100; i++)
        {
            table = table.With(1, 10 * i, i, 2, Without([], [new(10 * i, 10 * i)]));
        }

        var gaps = table.NumberOf(_ => true)!.Value.Gaps;
        Assert.Equal(Without([], [new(10, 970), new(980, 980), new(990, 990), new(1_000, 1_000)]), gaps);
    }

    private static UpdateGaps Without(NumberRange[] removed, NumberRange[] refused) =>
        new(NumberRanges.Of(removed), NumberRanges.Of(refused));

    private static SessionMark Seen(long first, long last, bool isOnCondition) =>
        SessionMark.Pending(1, 1, new(first, last), isOnCondition);
}
