using System.Text;

namespace Geo.Storage.AzureTables.Tests.Entities;

public sealed class KeyEncodingTests
{
    [Theory]
    [InlineData("gsi/Stock/blue-shirt", "gsi-2FStock-2Fblue-2Dshirt")]
    [InlineData("a=b_c~d", "a=3Db_5Fc~7Ed")]
    [InlineData("é", "~C3~A9")]
    [InlineData("\0", "-00")]
    [InlineData("", "")]
    public void Letters_and_digits_stay_and_all_else_is_a_mark_and_two_digits(string key, string encoded) =>
        Assert.Equal((encoded, key), (KeyEncoding.Encode(key), KeyEncoding.TryDecode(encoded)));

    [Theory]
    [InlineData("a/b")]
    [InlineData("a-2")]
    [InlineData("a-2f")]
    [InlineData("~2F")]
    [InlineData("-41")]
    [InlineData("~FF")]
    public void What_no_key_is_encoded_as_is_not_decoded(string text) => Assert.Null(KeyEncoding.TryDecode(text));

    [Fact]
    public void The_order_is_that_of_the_bytes_and_keys_come_back()
    {
        var random = new Random(11);
        var keys = Enumerable.Range(0, 3000).Select(_ => RandomKey(random)).ToArray();

        for (var i = 1; i < keys.Length; i++)
        {
            var (one, other) = (keys[i - 1], keys[i]);
            var bytes = Encoding.UTF8.GetBytes(one).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(other));
            Assert.Equal(Math.Sign(bytes), Math.Sign(string.CompareOrdinal(KeyEncoding.Encode(one), KeyEncoding.Encode(other))));
            Assert.Equal(one, KeyEncoding.TryDecode(KeyEncoding.Encode(one)));
        }
    }

    private static string RandomKey(Random random)
    {
        var key = new StringBuilder();
        for (var i = random.Next(6); i >= 0; i--)
        {
            key.Append(random.Next(4) switch
            {
                0 => new Rune(random.Next(0x80)),
                1 => new Rune(random.Next('0', 'z')),
                2 => new Rune(random.Next(0x80, 0xd800)),
                _ => new Rune(random.Next(0xe000, 0x110000)),
            });
        }

        return key.ToString();
    }
}
