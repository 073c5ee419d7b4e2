namespace Geo.Embedded;

/// <summary>The simple types that calls write as binary: by far the most frequent arguments and results.</summary>
internal static class BinaryCodecs
{
    private static readonly Dictionary<Type, object> Codecs = new()
    {
        [typeof(Nothing)] = new BinaryCodec<Nothing>(static (_, _) => { }, static (ref _) => default),
        [typeof(bool)] = new BinaryCodec<bool>(static (w, v) => w.WriteByte(v ? (byte)1 : (byte)0), static (ref r) => r.ReadByte() != 0),
        [typeof(int)] = new BinaryCodec<int>(static (w, v) => w.WriteSigned(v), static (ref r) => (int)r.ReadSigned()),
        [typeof(long)] = new BinaryCodec<long>(static (w, v) => w.WriteSigned(v), static (ref r) => r.ReadSigned()),
        [typeof(double)] = new BinaryCodec<double>(
            static (w, v) =>
                w.WriteUnsigned(BitConverter.DoubleToUInt64Bits(v)), static (ref r) => BitConverter.UInt64BitsToDouble(r.ReadUnsigned())),
        [typeof(string)] = new BinaryCodec<string?>(static (w, v) => w.WriteText(v), static (ref r) => r.ReadText()),
        [typeof(Guid)] = new BinaryCodec<Guid>(WriteGuid, static (ref r) => ReadGuid(ref r)),
        [typeof(byte[])] = new BinaryCodec<byte[]?>(WriteBytes, static (ref r) => ReadBytes(ref r)),
    };

    /// <summary>The codec of a type; null when the type is not a simple one.</summary>
    public static BinaryCodec<T>? Of<T>() => Codecs.TryGetValue(typeof(T), out var codec) ? (BinaryCodec<T>)codec : null;

    private static void WriteGuid(PayloadWriter writer, Guid value)
    {
        Span<byte> bytes = stackalloc byte[16];
        value.TryWriteBytes(bytes);
        writer.WriteBytes(bytes);
    }

    private static Guid ReadGuid(ref PayloadReader reader)
    {
        var bytes = reader.ReadBytes();
        return bytes.Length == 16
            ? new Guid(bytes)
            : throw new GeoSerializationException($"A Guid of {bytes.Length} bytes arrived; 16 were expected.");
    }

    private static void WriteBytes(PayloadWriter writer, byte[]? value)
    {
        writer.WriteByte(value is null ? (byte)0 : (byte)1);
        writer.WriteBytes(value);
    }

    private static byte[]? ReadBytes(ref PayloadReader reader)
    {
        var present = reader.ReadByte() != 0;
        var bytes = reader.ReadBytes();
        return present ? bytes.ToArray() : null;
    }
}
