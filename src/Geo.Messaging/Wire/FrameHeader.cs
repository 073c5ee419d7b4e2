using System.Buffers.Binary;
using System.Diagnostics;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// The fixed start of every frame, little-endian: the length of what follows the length field (4 bytes), the kind (1), flags (1), the
/// length of the service's name (1), a spare byte, and a number (8) that is the request's or the probe's. The service's name, the trace
/// context where a flag says so, and the payload follow.
/// </summary>
/// <param name="Kind">What the frame is.</param>
/// <param name="Number">The request's or probe's number.</param>
/// <param name="ServiceBytes">The length of the service's name.</param>
/// <param name="PayloadBytes">The length of the payload.</param>
/// <param name="IsTraced">True when a trace context stands between the service's name and the payload.</param>
internal readonly record struct FrameHeader(FrameKind Kind, ulong Number, int ServiceBytes, int PayloadBytes, bool IsTraced = false)
{
    public const int Size = 16;

    /// <summary>The most bytes of a frame, a piece of a large message apart: what needs more goes in pieces.</summary>
    public const int MaxFrameBytes = 64 * 1024;

    /// <summary>The longest name of a service, in bytes.</summary>
    public const int MaxServiceBytes = byte.MaxValue;

    /// <summary>The most bytes of a frame before its payload.</summary>
    public const int MaxPayloadOffset = Size + MaxServiceBytes + TraceContext.Size;

    private const int LengthBytes = 4;
    private const byte TracedFlag = 1;

    public int PayloadOffset => Size + ServiceBytes + (IsTraced ? TraceContext.Size : 0);

    public int FrameBytes => PayloadOffset + PayloadBytes;

    /// <summary>True for a message that goes in pieces: with what says that it follows a large one it would not fit into a frame.</summary>
    public bool IsLarge => FrameBytes > MaxFrameBytes - Size;

    /// <summary>Reads the header at the start of some bytes, which need not hold the whole frame.</summary>
    /// <param name="bytes">What has arrived.</param>
    /// <param name="maxPayloadBytes">The largest payload allowed.</param>
    /// <param name="header">The header, where it is complete and sound.</param>
    /// <param name="fault">What is wrong with it; null when it is sound or incomplete.</param>
    /// <returns>True when there is a sound header.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, int maxPayloadBytes, out FrameHeader header, out string? fault)
    {
        header = default;
        fault = null;
        if (bytes.Length < Size)
        {
            return false;
        }

        var length = BinaryPrimitives.ReadUInt32LittleEndian(bytes);
        var kind = (FrameKind)bytes[4];
        int serviceBytes = bytes[6];
        var named = kind is FrameKind.OneWay or FrameKind.Request;
        var mostBytes = kind switch
        {
            FrameKind.Follows => MaxFrameBytes - Size,
            FrameKind.Piece => PieceHeader.Size + PieceHeader.MaxBytes,
            FrameKind.Announce => Announcement.MaxBytes,
            _ => maxPayloadBytes,
        };
        var known = named ? TracedFlag : 0;
        var traced = (bytes[5] & TracedFlag) != 0;
        var payloadBytes = (long)length - (Size - LengthBytes) - serviceBytes - (traced ? TraceContext.Size : 0);
        fault = kind < FrameKind.OneWay || kind > FrameKind.NotServed ? $"a frame of the unknown kind {bytes[4]}"
            : (bytes[5] & ~known) != 0 || bytes[7] != 0 ? "a frame with unknown flags"
            : payloadBytes < 0 ? $"a frame of {length} bytes, too short for its header"
            : named != serviceBytes > 0 ? "a frame that names a service where it must not, or none where it must"
            : payloadBytes > mostBytes ? $"a frame too large: {payloadBytes} bytes of payload, at most {mostBytes} are allowed"
            : null;
        if (fault is not null)
        {
            return false;
        }

        header = new FrameHeader(kind, BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]), serviceBytes, (int)payloadBytes, traced);
        return true;
    }

    public void Write(Span<byte> frame, string service, Activity? trace)
    {
        Write(frame);
        Encoding.UTF8.GetBytes(service, frame[Size..]);
        TraceContext.Write(trace, frame[(Size + ServiceBytes)..]);
    }

    public void Write(Span<byte> bytes)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, (uint)(FrameBytes - LengthBytes));
        bytes[4] = (byte)Kind;
        bytes[5] = IsTraced ? TracedFlag : (byte)0;
        bytes[6] = (byte)ServiceBytes;
        bytes[7] = 0;
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], Number);
    }
}
