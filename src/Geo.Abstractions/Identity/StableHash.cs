using System.Buffers.Binary;
using System.Numerics;

namespace Geo;

/// <summary>
/// MurmurHash3 (x64, 128 bits) by Austin Appleby, public domain: equal in every process and on every machine, unlike
/// <see cref="object.GetHashCode"/>. Not for adversarial input.
/// </summary>
internal static class StableHash
{
    private const ulong C1 = 0x87c37b91114253d5;
    private const ulong C2 = 0x4cf5ad432745937f;

    /// <summary>The 128-bit hash of some bytes.</summary>
    public static (ulong High, ulong Low) Hash128(ReadOnlySpan<byte> data)
    {
        ulong h1 = 0, h2 = 0;
        var rest = data;
        while (rest.Length >= 16)
        {
            h1 ^= ScrambleFirst(BinaryPrimitives.ReadUInt64LittleEndian(rest));
            h1 = ((BitOperations.RotateLeft(h1, 27) + h2) * 5) + 0x52dce729;
            h2 ^= ScrambleSecond(BinaryPrimitives.ReadUInt64LittleEndian(rest[8..]));
            h2 = ((BitOperations.RotateLeft(h2, 31) + h1) * 5) + 0x38495ab5;
            rest = rest[16..];
        }

        Span<byte> tail = stackalloc byte[16];
        tail.Clear();
        rest.CopyTo(tail);
        h2 ^= ScrambleSecond(BinaryPrimitives.ReadUInt64LittleEndian(tail[8..]));
        h1 ^= ScrambleFirst(BinaryPrimitives.ReadUInt64LittleEndian(tail));

        h1 ^= (ulong)data.Length;
        h2 ^= (ulong)data.Length;
        h1 += h2;
        h2 += h1;
        h1 = Mix(h1);
        h2 = Mix(h2);
        h1 += h2;
        h2 += h1;
        return (h1, h2);
    }

    /// <summary>MurmurHash3's 64-bit finalizer: spreads every input bit over the whole result.</summary>
    public static ulong Mix(ulong value)
    {
        value ^= value >> 33;
        value *= 0xff51afd7ed558ccd;
        value ^= value >> 33;
        value *= 0xc4ceb9fe1a85ec53;
        return value ^ (value >> 33);
    }

    private static ulong ScrambleFirst(ulong k) => BitOperations.RotateLeft(k * C1, 31) * C2;

    private static ulong ScrambleSecond(ulong k) => BitOperations.RotateLeft(k * C2, 33) * C1;
}
