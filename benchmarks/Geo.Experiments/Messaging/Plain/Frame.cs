using System.Buffers.Binary;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>The start of a message of the socket program.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="PayloadBytes">The bytes that follow.</param>
/// <param name="Number">The actor's number, or the count.</param>
internal readonly record struct Frame(FrameKind Kind, int PayloadBytes, long Number)
{
    public const int HeaderBytes = 16;

    public static Frame Read(ReadOnlySpan<byte> bytes) => new(
        (FrameKind)BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]),
        BinaryPrimitives.ReadInt32LittleEndian(bytes),
        BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]));

    public void Write(Span<byte> bytes)
    {
        BinaryPrimitives.WriteInt32LittleEndian(bytes, PayloadBytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[4..], (int)Kind);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], Number);
    }
}
