using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// A message in memory that its lane's <see cref="LargeInbox"/> keeps account of, until it is released: a large one, or a small one that is
/// or was held back for a large one.
/// </summary>
/// <param name="inbox">What keeps account of it.</param>
/// <param name="bytes">What it counts at both ends.</param>
/// <param name="behind">The large message that it follows; null for one that is large itself.</param>
internal class HeldMessage(LargeInbox inbox, int bytes, IncomingMessage? behind = null)
{
    private byte[]? _buffer;

    /// <summary>The large message that it follows, or is.</summary>
    public IncomingMessage Large => behind ?? (IncomingMessage)this;

    public int Bytes { get; } = bytes;

    public FrameHeader Header { get; private set; }

    public byte[] Preface { get; private set; } = [];

    /// <summary>Its payload, in the pooled buffer that holds it; none once that has been given away.</summary>
    public ReadOnlyMemory<byte> Payload => _buffer.AsMemory(0, _buffer is null ? 0 : Header.PayloadBytes);

    protected byte[]? Buffer => _buffer;

    /// <summary>It is announced, or here.</summary>
    public void Describe(FrameHeader header, ReadOnlySpan<byte> preface) => (Header, Preface) = (header, preface.ToArray());

    public void Keep(byte[]? buffer) => _buffer = buffer;

    /// <summary>Its handler begins, or never will: the remote may send as much again.</summary>
    public void Begin() => inbox.NoteBegun(this);

    /// <summary>Gives the buffer away, which no longer counts here; null when it has been given away.</summary>
    public byte[]? Detach()
    {
        var buffer = Interlocked.Exchange(ref _buffer, null);
        if (buffer is not null)
        {
            inbox.ReturnMemory(Bytes);
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
