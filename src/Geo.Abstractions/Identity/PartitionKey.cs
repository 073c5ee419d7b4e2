using System.Buffers.Binary;
using System.Text;

namespace Geo;

/// <summary>
/// The key that keeps messages in order: two messages with one partition key and one recipient travel in the order they were
/// sent (Partisan section 3.3, affinity). Made from a key of any type; text and bytes are reduced to a 128-bit hash that is the
/// same in every process, so that a collision is never met in practice.
/// </summary>
/// <param name="High">The upper 64 bits.</param>
/// <param name="Low">The lower 64 bits.</param>
public readonly record struct PartitionKey(ulong High, ulong Low)
{
    private const int StackLimit = 512;

    /// <summary>The key of a text.</summary>
    public static PartitionKey From(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        var length = Encoding.UTF8.GetMaxByteCount(key.Length);
        Span<byte> buffer = length <= StackLimit ? stackalloc byte[StackLimit] : new byte[length];
        return From(buffer[..Encoding.UTF8.GetBytes(key, buffer)]);
    }

    /// <summary>The key of some bytes.</summary>
    public static PartitionKey From(ReadOnlySpan<byte> key)
    {
        var (high, low) = StableHash.Hash128(key);
        return new PartitionKey(high, low);
    }

    /// <summary>The key of a number; distinct numbers give distinct keys.</summary>
    public static PartitionKey From(long key) => new(0, unchecked((ulong)key));

    /// <summary>The key of a Guid; distinct values give distinct keys.</summary>
    public static PartitionKey From(Guid key)
    {
        Span<byte> bytes = stackalloc byte[16];
        key.TryWriteBytes(bytes);
        return new PartitionKey(BinaryPrimitives.ReadUInt64LittleEndian(bytes), BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]));
    }

    /// <summary>A well-mixed 64-bit value of the key, for choosing one of several lanes.</summary>
    public ulong Mix() => StableHash.Mix(High ^ StableHash.Mix(Low));
}
