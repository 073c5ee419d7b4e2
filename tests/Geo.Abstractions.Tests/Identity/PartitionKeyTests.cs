namespace Geo.Abstractions.Tests.Identity;

public sealed class PartitionKeyTests
{
    [Fact]
    public void Equal_texts_give_one_key_whether_they_fit_the_stack_or_not()
    {
        foreach (var length in new[] { 0, 1, 15, 16, 17, 160, 170, 171, 172, 512, 5000 })
        {
            var text = new string('ü', length);
            Assert.Equal(PartitionKey.From(text), PartitionKey.From(System.Text.Encoding.UTF8.GetBytes(text)));
        }
    }

    [Fact]
    public void Distinct_texts_numbers_and_Guids_give_distinct_keys()
    {
        var random = new Random(1);
        var guid = new byte[16];
        var keys = new HashSet<PartitionKey>();
        for (var i = 0; i < 10_000; i++)
        {
            random.NextBytes(guid);
            Assert.True(keys.Add(PartitionKey.From(i)));
            Assert.True(keys.Add(PartitionKey.From($"{i}")));
            Assert.True(keys.Add(PartitionKey.From(new Guid(guid))));
        }

        Assert.NotEqual(PartitionKey.From(-1), PartitionKey.From(1));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    public void The_mix_spreads_running_numbers_evenly_over_lanes(int lanes)
    {
        var counts = new int[lanes];
        for (var i = 0; i < 8_000; i++)
        {
            counts[PartitionKey.From(i).Mix() % (ulong)lanes]++;
        }

        Assert.All(counts, c => Assert.InRange(c, 8_000 / lanes * 9 / 10, 8_000 / lanes * 11 / 10));
    }

    [Fact]
    public void No_text_is_refused() => Assert.Throws<ArgumentNullException>(() => PartitionKey.From((string)null!));
}
