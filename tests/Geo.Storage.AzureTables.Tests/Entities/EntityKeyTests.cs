namespace Geo.Storage.AzureTables.Tests.Entities;

public sealed class EntityKeyTests
{
    [Theory]
    [InlineData(1, 1, 1)]
    [InlineData(512, 512, 1)]
    [InlineData(513, 512, 2)]
    [InlineData(958, 512, 447)]
    public void A_key_fills_the_partition_key_first_and_then_the_row_key(int length, int partition, int row)
    {
        var key = new string('x', length);

        var place = EntityKey.Of(key);

        Assert.Equal((partition, row, false), (place.Partition.Length, place.Row.Length, place.IsCut));
        Assert.Equal(key, EntityKey.TryDecode(place.Partition, place.Row));
    }

    [Theory]
    [InlineData('x', 959)]
    [InlineData('x', 1024)]
    [InlineData('中', 1024)]
    public void A_longer_key_is_cut_within_the_limits_and_told_apart_by_its_hash(char filler, int length)
    {
        var one = EntityKey.Of(new string(filler, length - 1) + "1");
        var other = EntityKey.Of(new string(filler, length - 1) + "2");

        Assert.True(one.IsCut);
        Assert.Equal((EntityKey.MaxLength, EntityKey.MaxLength), (one.Partition.Length, one.Row.Length));
        Assert.NotEqual(one, other);
        Assert.Null(EntityKey.TryDecode(one.Partition, one.Row));
    }

    [Fact]
    public void Keys_hold_only_what_is_safe_in_keys_and_addresses()
    {
        var all = string.Concat(Enumerable.Range(0, 0x300).Select(c => (char)c));

        for (var i = 0; i < all.Length; i += 10)
        {
            var place = EntityKey.Of(all.Substring(i, Math.Min(10, all.Length - i)));
            Assert.All(place.Partition + place.Row, c => Assert.True(char.IsAsciiLetterOrDigit(c) || "-=_~!".Contains(c)));
        }
    }

    [Theory]
    [InlineData("", null)]
    [InlineData("gsi/", "PartitionKey ge 'gsi-2F' and PartitionKey lt 'gsi-2G'")]
    [InlineData("it's", "PartitionKey ge 'it-27s' and PartitionKey lt 'it-27t'")]
    public void A_prefix_is_a_range_of_partitions(string prefix, string? filter) => Assert.Equal(filter, EntityKey.FilterFor(prefix));

    [Theory]
    [InlineData("plain", "row")]
    [InlineData("plain", "")]
    [InlineData("plain", "kmore")]
    public void Keys_of_other_entities_are_not_decoded(string partition, string row) => Assert.Null(EntityKey.TryDecode(partition, row));
}
