namespace Geo.Abstractions.Tests.Identity;

public sealed class GrainKeyTests
{
    [Theory]
    [InlineData("Item", "17", "Item/17")]
    [InlineData("Item", "", "Item/")]
    [InlineData("My.Cart", "a/b/c", "My.Cart/a/b/c")]
    [InlineData("Cart", "/", "Cart//")]
    [InlineData("Cart", "\U0001F600 ü", "Cart/\U0001F600 ü")]
    public void The_text_form_is_read_back(string type, string key, string text)
    {
        var grain = new GrainKey(type, key);

        Assert.Equal(text, grain.ToString());
        Assert.Equal(grain, GrainKey.Parse(text));
    }

    [Theory]
    [InlineData("")]
    [InlineData("Item")]
    [InlineData("/17")]
    public void A_text_without_a_type_is_refused_by_name(string text)
    {
        var refused = Assert.Throws<FormatException>(() => GrainKey.Parse(text));

        Assert.Equal($"'{text}' is not a grain key: expected 'type/key'.", refused.Message);
    }

    [Fact]
    public void A_type_that_could_share_a_row_with_another_grain_is_refused()
    {
        Assert.Throws<ArgumentException>(() => new GrainKey("a/b", "c"));
        Assert.Throws<ArgumentException>(() => new GrainKey("", "c"));
        Assert.Throws<ArgumentNullException>(() => new GrainKey(null!, "c"));
    }

    [Fact]
    public void The_partition_key_is_that_of_the_text_form() =>
        Assert.Equal(PartitionKey.From("Item/17"), new GrainKey("Item", "17").ToPartitionKey());
}
