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
        var table = AppliedTable.Empty.With(1, 6, 1, 2, new(5, 6)).With(1, 7, 2, 2).With(1, 20, 3, 2, new(19, 20)).With(2, 3, 4, 2);
        var writer = new PayloadWriter();
        table.Write(writer);
        var reader = new PayloadReader(writer.Written.Span);
        var read = AppliedTable.Read(ref reader);
        Assert.Equal((20, new UpdateGaps(5, 20)), read.NumberOf(i => i == 1));
        Assert.Equal((3, default), read.NumberOf(i => i == 2));
        Assert.Equal([false, true, true, false], new long[] { 4, 5, 20, 21 }.Select(new UpdateGaps(5, 20).Contains));
        Assert.False(default(UpdateGaps).Contains(1));
    }

    [Theory]
    [InlineData(3, 4)]
    [InlineData(3, 0)]
    [InlineData(ulong.MaxValue, 1)]
    public void Gaps_that_cannot_be_are_refused(ulong newest, ulong first)
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned(newest);
        writer.WriteUnsigned(first);
        Assert.Throws<GeoSerializationException>(() =>
        {
            var reader = new PayloadReader(writer.Written.Span);
            UpdateGaps.Read(ref reader);
        });
    }
}
