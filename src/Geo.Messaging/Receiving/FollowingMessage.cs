using System.Buffers;

namespace Geo.Messaging;

/// <summary>A small message that is held back for a large one, or was and waits for its handler, or is being handled.</summary>
internal sealed class FollowingMessage : HeldMessage
{
    /// <param name="inbox">What holds it back.</param>
    /// <param name="behind">The large message that it follows.</param>
    /// <param name="header">The header of its frame.</param>
    /// <param name="frame">Its frame, which is copied.</param>
    public FollowingMessage(LargeInbox inbox, IncomingMessage behind, FrameHeader header, ReadOnlySpan<byte> frame)
        : base(inbox)
    {
        (Large, Header, Preface) = (behind, header, frame[FrameHeader.Size..header.PayloadOffset].ToArray());
        Buffer = ArrayPool<byte>.Shared.Rent(header.PayloadBytes);
        frame[header.PayloadOffset..].CopyTo(Buffer);
    }

    public override IncomingMessage Large { get; }

    public override int Bytes => Header.FrameBytes + Announcement.HeldBackBytes;
}
