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
}
