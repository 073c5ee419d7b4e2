using System.Buffers.Binary;

namespace KeyValueSample;

/// <summary>A value with the stamp by which the newest of several is found: the writer's clock, then its place among the peers.</summary>
/// <param name="Stamp">The higher is the newer; 0 means that there is no value.</param>
/// <param name="Value">The bytes.</param>
public readonly record struct Versioned(ulong Stamp, ReadOnlyMemory<byte> Value)
{
    private const int StampBytes = sizeof(ulong);

    public static Versioned Read(ReadOnlyMemory<byte> bytes) =>
        new(BinaryPrimitives.ReadUInt64LittleEndian(bytes.Span), bytes[StampBytes..]);

    public byte[] ToBytes()
    {
        var bytes = GC.AllocateUninitializedArray<byte>(StampBytes + Value.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, Stamp);
        Value.CopyTo(bytes.AsMemory(StampBytes));
        return bytes;
    }
}
