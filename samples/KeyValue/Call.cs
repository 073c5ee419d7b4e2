using System.Text;

namespace KeyValueSample;

/// <summary>What the peers ask of each other: a service, and a key of at most 255 bytes with what is to be stored behind it.</summary>
internal static class Call
{
    public const string Get = "kv.get";
    public const string Put = "kv.put";

    public static byte[] Write(string key, ReadOnlySpan<byte> versioned)
    {
        var keyBytes = Encoding.UTF8.GetByteCount(key);
        var bytes = GC.AllocateUninitializedArray<byte>(1 + keyBytes + versioned.Length);
        bytes[0] = checked((byte)keyBytes);
        Encoding.UTF8.GetBytes(key, bytes.AsSpan(1));
        versioned.CopyTo(bytes.AsSpan(1 + keyBytes));
        return bytes;
    }

    public static (string Key, ReadOnlyMemory<byte> Versioned) Read(ReadOnlyMemory<byte> bytes)
    {
        var keyBytes = bytes.Span[0];
        return (Encoding.UTF8.GetString(bytes.Span.Slice(1, keyBytes)), bytes[(1 + keyBytes)..]);
    }
}
