using System.Text;
using System.Text.Json;

namespace Geo.Storage.AzureTables.Tests.Entities;

public sealed class EntityJsonTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(EntityJson.PropertyBytes, 1)]
    [InlineData(EntityJson.PropertyBytes + 1, 2)]
    [InlineData(EntityJson.MaxValueBytes, 16)]
    public void A_value_is_split_over_properties_and_put_together_again(int length, int parts)
    {
        var value = new byte[length];
        new Random(length).NextBytes(value);

        var entity = Parse(EntityJson.Write("k", EntityKey.Of("k"), value));
        var read = EntityJson.Read(entity, "W/\"1\"");

        Assert.Equal(("k", new ETag("W/\"1\"")), (read.Key, read.ETag));
        Assert.Equal(value, read.Value);
        Assert.Equal(parts, entity.EnumerateObject().Count(p => p.Name[0] == 'V' && !p.Name.Contains('@', StringComparison.Ordinal)));
    }

    [Fact]
    public void The_largest_entity_is_within_the_limit_of_the_service()
    {
        var key = new string('中', StoreLimits.MaxKeyLength);
        var entity = Parse(EntityJson.Write(key, EntityKey.Of(key), new byte[EntityJson.MaxValueBytes]));

        // As the service counts: 4 bytes, the keys in UTF-16, the time stamp, and of each property the name in UTF-16 and the data.
        var size = 4 + 34;
        foreach (var property in entity.EnumerateObject().Where(p => !p.Name.Contains('@', StringComparison.Ordinal)))
        {
            size += property.Name is "PartitionKey" or "RowKey" ? 2 * property.Value.GetString()!.Length
                : 8 + (2 * property.Name.Length)
                    + (property.Value.ValueKind == JsonValueKind.Number ? 4 : 4 + property.Value.GetBytesFromBase64().Length);
        }

        Assert.InRange(size, EntityJson.MaxValueBytes, 1024 * 1024);
        Assert.Equal(key, EntityJson.Read(entity, "W/\"1\"").Key);
    }

    [Theory]
    [InlineData("""{"PartitionKey":"a","RowKey":"k"}""")]
    [InlineData("""{"PartitionKey":"a","RowKey":"k","Length":-1}""")]
    [InlineData("""{"PartitionKey":"a","RowKey":"k","Length":2147483647}""")]
    [InlineData("""{"PartitionKey":"a","RowKey":"k","Length":2}""")]
    [InlineData("""{"PartitionKey":"a","RowKey":"k","Length":2,"V0":"AAAA"}""")]
    [InlineData("""{"PartitionKey":"a","RowKey":"k","Length":2,"V0":""}""")]
    [InlineData("""{"PartitionKey":"a b","RowKey":"k","Length":0}""")]
    [InlineData("""{"PartitionKey":"a","RowKey":"1","Length":0}""")]
    public void Another_applications_entity_is_named(string json)
    {
        var refused = Assert.Throws<GeoStorageException>(() => EntityJson.Read(Parse(Encoding.UTF8.GetBytes(json)), "W/\"1\""));

        Assert.Contains("was not written by a store", refused.Message, StringComparison.Ordinal);
    }

    private static JsonElement Parse(ReadOnlyMemory<byte> json) => JsonDocument.Parse(json).RootElement.Clone();
}
