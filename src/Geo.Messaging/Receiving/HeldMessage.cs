using System.Buffers;

namespace Geo.Messaging;

/// <summary>A message in memory that its lane's <see cref="LargeInbox"/> keeps account of, until it is released.</summary>
/// <param name="inbox">What keeps account of it.</param>
internal abstract class HeldMessage(LargeInbox inbox)
{
    private byte[]? _buffer;

    /// <summary>The large message that it follows, or is.</summary>
    public abstract IncomingMessage Large { get; }

    /// <summary>What it counts at both ends.</summary>
    public abstract int Bytes { get; }

    /// <summary>The header of its frame.</summary>
    public FrameHeader Header { get; protected set; }

    /// <summary>What stands between header and payload.</summary>
    public byte[] Preface { get; protected set; } = [];

    /// <summary>Its payload, in the pooled buffer that holds it; none once that has been given away.</summary>
    public ReadOnlyMemory<byte> Payload => _buffer.AsMemory(0, _buffer is null ? 0 : Header.PayloadBytes);

    /// <summary>The pooled buffer; null when there is none, or it has been given away.</summary>
    protected byte[]? Buffer
    {
        get => _buffer;
        set => _buffer = value;
    }

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

    /// <summary>Gives the buffer back to the pool.</summary>
    public void Release()
    {
        if (Detach() is { } buffer)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
