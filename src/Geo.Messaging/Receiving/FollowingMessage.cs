using System.Buffers;

namespace Geo.Messaging;

/// <summary>A small message that is held back for a large one, or was and waits for its handler, or is being handled.</summary>
internal sealed class FollowingMessage : IHeldMessage
{
    private readonly LargeInbox _inbox;
    private byte[]? _buffer;

    /// <param name="inbox">What holds it back.</param>
    /// <param name="behind">The large message that it follows.</param>
    /// <param name="header">The header of its frame.</param>
    /// <param name="frame">Its frame, which is copied.</param>
    public FollowingMessage(LargeInbox inbox, IncomingMessage behind, FrameHeader header, ReadOnlySpan<byte> frame)
    {
        (_inbox, Behind, Header) = (inbox, behind, header);
        Preface = frame[FrameHeader.Size..header.PayloadOffset].ToArray();
        _buffer = ArrayPool<byte>.Shared.Rent(header.PayloadBytes);
        frame[header.PayloadOffset..].CopyTo(_buffer);
    }

    /// <summary>The large message that it follows.</summary>
    public IncomingMessage Behind { get; }

    /// <summary>What it counts at both ends.</summary>
    public int Bytes => Header.FrameBytes + Announcement.HeldBackBytes;

    public FrameHeader Header { get; }

    public byte[] Preface { get; }

    public ReadOnlyMemory<byte> Payload => _buffer.AsMemory(0, _buffer is null ? 0 : Header.PayloadBytes);

    public void Begin() => _inbox.NoteBegun(Behind, Bytes);

    public byte[]? Detach()
    {
        var buffer = Interlocked.Exchange(ref _buffer, null);
        if (buffer is not null)
        {
            _inbox.ReturnMemory(Bytes);
        }

        return buffer;
    }

    public void Release()
    {
        if (Detach() is { } buffer)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
