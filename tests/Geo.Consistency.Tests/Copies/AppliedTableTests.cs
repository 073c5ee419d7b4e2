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
        var table = AppliedTable.Empty.With(1, 6, 1, 2, new(new(5, 6), default)).With(1, 7, 2, 2)
            .With(1, 20, 3, 2, new(new(19, 20), new(8, 8))).With(2, 3, 4, 2);
        var writer = new PayloadWriter();
        table.Write(writer);
        var reader = new PayloadReader(writer.Written.Span);
        var read = AppliedTable.Read(ref reader);
        var gaps = new UpdateGaps(new(5, 20), new(8, 8));
        Assert.Equal((20, gaps), read.NumberOf(i => i == 1));
        Assert.Equal((3, null), read.NumberOf(i => i == 2));
        Assert.Equal([false, true, true, false], new long[] { 4, 5, 20, 21 }.Select(n => gaps.Concern(Seen(n, n, isOnCondition: false))));
        Assert.True(gaps.Concern(Seen(3, 5, isOnCondition: false)));
    }

    [Fact]
    public void What_was_refused_matters_to_who_has_seen_updates_on_a_condition_alone()
    {
        var gaps = new UpdateGaps(default, new(8, 9));
        Assert.False(gaps.Concern(Seen(8, 8, isOnCondition: false)));
        Assert.Equal([false, true, true, false], new long[] { 7, 8, 9, 10 }.Select(n => gaps.Concern(Seen(n, n, isOnCondition: true))));
        Assert.True(gaps.Concern(Seen(2, 30, isOnCondition: true)));
    }

    [Theory]
    [InlineData(1, 4, 3)]
    [InlineData(2, 0, 3)]
    [InlineData(1, 1, ulong.MaxValue)]
    [InlineData(4, 1, 1)]
    public void Gaps_that_cannot_be_are_refused(ulong kinds, ulong first, ulong last)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)kinds);
        writer.WriteUnsigned(first);
        writer.WriteUnsigned(last);
        Assert.Throws<GeoSerializationException>(() =>
        {
            var reader = new PayloadReader(writer.Written.Span);
            UpdateGaps.Read(ref reader);
        });
    }

    private static SessionMark Seen(long first, long last, bool isOnCondition) =>
        SessionMark.Pending(1, 1, new(first, last), isOnCondition);
}
