using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Lattices as bytes and as JSON, each with a version and the type's name. Equal values give equal bytes. What was damaged, is of another
/// type or version, or exceeds <see cref="LatticeLimits"/> ends in a <see cref="GeoSerializationException"/> and nothing else.
/// </summary>
public static class LatticeForm
{
    /// <summary>The version that is written.</summary>
    public const int Version = 1;

    // Version, hash of the type's name, checksum of what follows.
    private const int HeadLength = 1 + 4 + 4;

    /// <summary>The binary form.</summary>
    public static byte[] ToBytes<T>(T lattice)
        where T : ILatticeForm<T>
    {
        ArgumentNullException.ThrowIfNull(lattice);
        var writer = new LatticeWriter();
        lattice.Write(writer);
        var table = new PayloadWriter();
        table.WriteUnsigned((ulong)writer.Sources.Count);
        foreach (var source in writer.Sources)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(table.GetSpan(8), source.Value);
            table.Advance(8);
        }

        var body = writer.Body.Written.Span;
        var bytes = new byte[HeadLength + table.Written.Length + body.Length];
        bytes[0] = Version;
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(1), TypeCode<T>());
        table.Written.Span.CopyTo(bytes.AsSpan(HeadLength));
        body.CopyTo(bytes.AsSpan(HeadLength + table.Written.Length));
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(5), Checksum(bytes.AsSpan(HeadLength)));
        return bytes;
    }

    /// <summary>Reads the binary form.</summary>
    /// <exception cref="GeoSerializationException">It is damaged, of another type or version, or over a limit.</exception>
    public static T FromBytes<T>(ReadOnlySpan<byte> bytes, LatticeLimits? limits = null)
        where T : ILatticeForm<T> => FromBytes<T>(bytes, limits, out _);

    /// <summary>Reads the binary form, and the time of the latest stamp in it; 0 for none.</summary>
    /// <exception cref="GeoSerializationException">It is damaged, of another type or version, or over a limit.</exception>
    internal static T FromBytes<T>(ReadOnlySpan<byte> bytes, LatticeLimits? limits, out ulong latest)
        where T : ILatticeForm<T>
    {
        limits ??= LatticeLimits.Default;
        if (bytes.Length > limits.MaxBytes)
        {
            throw TooLong(bytes.Length, limits);
        }

        if (bytes.Length < HeadLength)
        {
            throw LatticeReader.Damaged("is cut off within its head");
        }

        CheckVersion(bytes[0]);
        if (Checksum(bytes[HeadLength..]) != BinaryPrimitives.ReadUInt32LittleEndian(bytes[5..]))
        {
            throw LatticeReader.Damaged("does not have the checksum that it names");
        }

        if (BinaryPrimitives.ReadUInt32LittleEndian(bytes[1..]) != TypeCode<T>())
        {
            throw LatticeReader.Damaged($"is not that of a {T.TypeName}");
        }

        var table = new PayloadReader(bytes[HeadLength..]);
        var count = table.ReadCount();
        if (count > table.Rest.Length / 8)
        {
            throw LatticeReader.Damaged("is cut off within its table of sources");
        }

        var sources = new ReplicaId[count];
        for (var i = 0; i < count; i++)
        {
            sources[i] = new(BinaryPrimitives.ReadUInt64LittleEndian(table.Rest[(i * 8)..]));
        }

        var reader = new LatticeReader(new PayloadReader(table.Rest[(count * 8)..]), sources, limits.MaxDepth);
        var value = reader.Read<T>();
        latest = reader.Latest;
        return reader.Body.Rest.IsEmpty ? value : throw LatticeReader.Damaged("goes on behind its end");
    }

    /// <summary>The JSON form.</summary>
    public static string ToJson<T>(T lattice)
        where T : ILatticeForm<T>
    {
        ArgumentNullException.ThrowIfNull(lattice);
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteNumber("lattice"u8, Version);
            json.WriteString("type"u8, T.TypeName);
            json.WritePropertyName("state"u8);
            lattice.WriteJson(json);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    /// <summary>Reads the JSON form.</summary>
    /// <exception cref="GeoSerializationException">It is damaged, of another type or version, or over a limit.</exception>
    public static T FromJson<T>(string json, LatticeLimits? limits = null)
        where T : ILatticeForm<T>
    {
        ArgumentNullException.ThrowIfNull(json);
        limits ??= LatticeLimits.Default;
        if (json.Length > limits.MaxBytes)
        {
            throw TooLong(json.Length, limits);
        }

        try
        {
            using var document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = (limits.MaxDepth * 4) + 4 });
            var root = document.RootElement;
            CheckVersion(root.GetProperty("lattice"u8).GetInt32());
            return root.GetProperty("type"u8).GetString() == T.TypeName
                ? T.ReadJson(root.GetProperty("state"u8))
                : throw LatticeReader.Damaged($"is not that of a {T.TypeName}");
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException or KeyNotFoundException
            or ArgumentException or IndexOutOfRangeException)
        {
            // JsonElement has an exception for each way in which a value can be another than was asked for.
            throw new GeoSerializationException($"The JSON form of a {T.TypeName} is damaged or another version wrote it: {e.Message}", e);
        }
    }

    private static void CheckVersion(int version)
    {
        if (version != Version)
        {
            throw new GeoSerializationException(
                $"A lattice's form has version {version}, and this build reads version {Version}. "
                + "Update it before those that write the newer one.");
        }
    }

    private static GeoSerializationException TooLong(int length, LatticeLimits limits) =>
        new($"A lattice's form of {length} bytes is longer than LatticeLimits.MaxBytes, {limits.MaxBytes}, allows.");

    internal static uint TypeCode<T>()
        where T : ILatticeForm<T> => Checksum(Encoding.UTF8.GetBytes(T.TypeName));

    private static uint Checksum(ReadOnlySpan<byte> bytes) => (uint)StableHash.Hash128(bytes).Low;
}
