using System.Buffers.Binary;

namespace Geo.Messaging;

/// <summary>
/// What a piece of a large message says of itself, little-endian: where in the payload it belongs (4 bytes) and how long the whole payload
/// is (4). Pieces begin at multiples of <see cref="MaxBytes"/> and only the last one is shorter, so that each can come but once.
/// </summary>
internal readonly record struct PieceHeader(int Offset, int Total)
{
    public const int Size = 8;

    /// <summary>The shortest payload that goes in pieces.</summary>
    public const int LeastTotal = FrameHeader.MaxFrameBytes - FrameHeader.Size - FrameHeader.MaxPayloadOffset;

    /// <summary>The most bytes of one piece: few system calls for a large message, and little to wait for when a lane is slow.</summary>
    public const int MaxBytes = 256 * 1024;

    public int Length => Math.Min(MaxBytes, Total - Offset);

    public static int CountOf(int total) => (total + MaxBytes - 1) / MaxBytes;

    /// <returns>What is wrong with it; null when it is sound.</returns>
    public static string? TryRead(ReadOnlySpan<byte> bytes, int length, int maxPayloadBytes, out PieceHeader piece)
    {
        var (offset, total) = (BinaryPrimitives.ReadUInt32LittleEndian(bytes), BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]));
        piece = default;
        if (total > maxPayloadBytes || total < LeastTotal || offset >= total || offset % MaxBytes != 0)
        {
            return $"a piece at {offset} of a message of {total} bytes, which has to have {LeastTotal} to {maxPayloadBytes}";
        }

        piece = new PieceHeader((int)offset, (int)total);
        return piece.Length == length ? null : $"a piece of {length} bytes where {piece.Length} belong";
    }

    public void Write(Span<byte> bytes)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, (uint)Offset);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[4..], (uint)Total);
    }
}
