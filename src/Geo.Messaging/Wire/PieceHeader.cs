using System.Buffers.Binary;

namespace Geo.Messaging;

/// <summary>
/// What a piece of a large message says of itself, little-endian: where in the payload it belongs (4 bytes) and how long the whole payload
/// is (4). A piece has one unit or several that follow each other; only the payload's last unit is shorter, so that each can come but once.
/// </summary>
internal readonly record struct PieceHeader(int Offset, int Total, int Units = 1)
{
    public const int Size = 8;

    /// <summary>The shortest payload that goes in pieces.</summary>
    public const int LeastTotal = FrameHeader.MaxFrameBytes - FrameHeader.Size - FrameHeader.MaxPayloadOffset;

    /// <summary>What a piece has on a long path: little to wait for when a lane is slow.</summary>
    public const int UnitBytes = 256 * 1024;

    /// <summary>
    /// The most units of a piece, which it has on a short path: system calls and changes of threads are what large messages cost there.
    /// </summary>
    public const int MostUnits = 4;

    public const int MaxBytes = MostUnits * UnitBytes;

    public int Length => Math.Min(Units * UnitBytes, Total - Offset);

    /// <summary>Which units it has, counted from the payload's first.</summary>
    public Range Place => (Offset / UnitBytes)..UnitsOf(Offset + Length);

    public static int UnitsOf(int total) => (total + UnitBytes - 1) / UnitBytes;

    /// <returns>What is wrong with it; null when it is sound.</returns>
    public static string? TryRead(ReadOnlySpan<byte> bytes, int length, int maxPayloadBytes, out PieceHeader piece)
    {
        var (offset, total) = (BinaryPrimitives.ReadUInt32LittleEndian(bytes), BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]));
        piece = default;
        if (total > maxPayloadBytes || total < LeastTotal || offset >= total || offset % UnitBytes != 0)
        {
            return $"a piece at {offset} of a message of {total} bytes, which has to have {LeastTotal} to {maxPayloadBytes}";
        }

        piece = new PieceHeader((int)offset, (int)total, Math.Clamp(UnitsOf(length), 1, MostUnits));
        return piece.Length == length ? null : $"a piece of {length} bytes where {piece.Length} belong";
    }

    public void Write(Span<byte> bytes)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, (uint)Offset);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[4..], (uint)Total);
    }
}
