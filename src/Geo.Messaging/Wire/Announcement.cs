using System.Buffers.Binary;

namespace Geo.Messaging;

/// <summary>
/// What is said of a large message at its place in the order: the number of the large message that it comes after (8 bytes, little-endian,
/// 0 for none), then its frame without the payload.
/// </summary>
internal static class Announcement
{
    public const int MaxBytes = AfterBytes + FrameHeader.MaxPayloadOffset;

    /// <summary>What a small message that is held back counts besides its frame, at both ends.</summary>
    public const int HeldBackBytes = 256;

    private const int AfterBytes = 8;

    public static int Write(Span<byte> bytes, ulong after, ReadOnlySpan<byte> start)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, after);
        start.CopyTo(bytes[AfterBytes..]);
        return AfterBytes + start.Length;
    }

    public static string? TryRead(
        ReadOnlySpan<byte> bytes, int maxPayloadBytes, out ulong after, out FrameHeader header, out ReadOnlySpan<byte> preface)
    {
        after = 0;
        header = default;
        preface = default;
        if (bytes.Length < AfterBytes || !FrameHeader.TryRead(bytes[AfterBytes..], maxPayloadBytes, out header, out var fault))
        {
            return "an announcement without a sound header";
        }

        // What is small costs more to keep account of than its bytes say.
        if (header.Kind is not (FrameKind.OneWay or FrameKind.Request or FrameKind.Reply) || !header.IsLarge)
        {
            return $"a {header.Kind} frame of {header.PayloadBytes} bytes as a large message";
        }

        if (bytes.Length != AfterBytes + header.PayloadOffset)
        {
            return "an announcement of a wrong length";
        }

        after = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        preface = bytes[(AfterBytes + FrameHeader.Size)..];
        return null;
    }
}
