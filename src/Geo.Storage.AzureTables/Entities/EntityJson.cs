using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Geo.Storage.AzureTables;

/// <summary>Entities as the table service's JSON: the value is split over as many binary properties as it needs.</summary>
internal static class EntityJson
{
    /// <summary>The most bytes in one property.</summary>
    public const int PropertyBytes = 64 * 1024;

    /// <summary>
    /// The largest value: an entity's 1 MiB less 8 KiB, which the keys, the whole of a cut key and the properties' names stay below.
    /// </summary>
    public const int MaxValueBytes = (1024 - 8) * 1024;

    private const string TypeSuffix = "@odata.type";
    private const string Binary = "Edm.Binary";
    private const string WholeKey = "Key";
    private const string Length = "Length";

    public static ReadOnlyMemory<byte> Write(string key, EntityKey place, ReadOnlySpan<byte> value)
    {
        var buffer = new ArrayBufferWriter<byte>((value.Length * 4 / 3) + (2 * EntityKey.MaxLength) + 256);
        using var json = new Utf8JsonWriter(buffer);
        json.WriteStartObject();
        json.WriteString("PartitionKey", place.Partition);
        json.WriteString("RowKey", place.Row);
        if (place.IsCut)
        {
            WriteBinary(json, WholeKey, Encoding.UTF8.GetBytes(key));
        }

        json.WriteNumber(Length, value.Length);
        for (var part = 0; part * PropertyBytes < value.Length; part++)
        {
            var rest = value[(part * PropertyBytes)..];
            WriteBinary(json, PartName(part), rest[..Math.Min(PropertyBytes, rest.Length)]);
        }

        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenMemory;
    }

    /// <summary>Reads an entity.</summary>
    /// <param name="entity">The entity as it came.</param>
    /// <param name="etag">Its etag, where it came beside it.</param>
    /// <exception cref="GeoStorageException">It was not written by a store.</exception>
    public static StoreEntry Read(JsonElement entity, string? etag = null)
    {
        var (partition, row) = (Text(entity, "PartitionKey"), Text(entity, "RowKey"));
        try
        {
            var key = entity.TryGetProperty(WholeKey, out var whole)
                ? Encoding.UTF8.GetString(whole.GetBytesFromBase64())
                : EntityKey.TryDecode(partition, row) ?? throw new FormatException("its keys are not those of a store");
            return new StoreEntry(key, ReadValue(entity), new ETag(etag ?? Text(entity, "odata.etag")));
        }
        catch (Exception e) when (e is FormatException or InvalidOperationException or KeyNotFoundException)
        {
            throw new GeoStorageException(
                $"The entity with partition key '{partition}' and row key '{row}' was not written by a store ({e.Message}); use a table "
                + "of its own.", e);
        }
    }

    private static byte[] ReadValue(JsonElement entity)
    {
        var length = entity.GetProperty(Length).GetInt32();
        if (length is < 0 or > MaxValueBytes)
        {
            throw new FormatException("the length of its value cannot be");
        }

        var value = new byte[length];
        var read = 0;
        for (var part = 0; read < value.Length; part++)
        {
            var bytes = entity.GetProperty(PartName(part)).GetBytesFromBase64();
            if (bytes.Length == 0 || bytes.Length > value.Length - read)
            {
                throw new FormatException("the parts of its value do not add up");
            }

            bytes.CopyTo(value, read);
            read += bytes.Length;
        }

        return value;
    }

    private static string Text(JsonElement entity, string property) =>
        entity.TryGetProperty(property, out var text) && text.ValueKind == JsonValueKind.String ? text.GetString()! : "";

    private static string PartName(int part) => string.Create(CultureInfo.InvariantCulture, $"V{part}");

    private static void WriteBinary(Utf8JsonWriter json, string name, ReadOnlySpan<byte> bytes)
    {
        json.WriteString(name + TypeSuffix, Binary);
        json.WriteBase64String(name, bytes);
    }
}
