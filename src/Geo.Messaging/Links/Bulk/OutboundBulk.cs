using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// A message that is sent by <see cref="BulkOutbound"/>: a large one, or a small one that must go behind a large one of its key. Its payload
/// is in a pooled buffer, which goes back when the last piece has been sent.
/// </summary>
/// <param name="key">The partition key.</param>
/// <param name="header">The header of its frame.</param>
/// <param name="start">Its frame before the payload.</param>
/// <param name="rented">The payload, in a pooled buffer that the message takes over.</param>
/// <param name="ticket">Its place among all messages.</param>
internal sealed class OutboundBulk(PartitionKey key, FrameHeader header, byte[] start, ArraySegment<byte> rented, long ticket)
{
    private int _beingSent;

    /// <summary>The partition key.</summary>
    public PartitionKey Key { get; } = key;

    /// <summary>The header of its frame.</summary>
    public FrameHeader Header { get; } = header;

    /// <summary>Its frame before the payload.</summary>
    public byte[] Start { get; } = start;

    /// <summary>Its place among all messages, by which a request finds out whether it was sent.</summary>
    public long Ticket { get; } = ticket;

    /// <summary>The number under which its pieces go; 0 before it is announced.</summary>
    public ulong Number { get; set; }

    /// <summary>The bytes of small messages that have been sent to wait for this one.</summary>
    public long HeldBytes { get; set; }

    /// <summary>The length of the payload.</summary>
    public int Length { get; } = rented.Count;

    /// <summary>How many bytes of it have been taken.</summary>
    public int Taken { get; private set; }

    /// <summary>True when all of it has been.</summary>
    public bool IsTaken => Taken == Length;

    /// <summary>True when it goes in pieces.</summary>
    public bool IsLarge => BulkOutbound.IsLarge(Header.FrameBytes);

    /// <summary>The payload.</summary>
    public ReadOnlySpan<byte> Payload => rented;

    /// <summary>Takes the next piece.</summary>
    public BulkPiece Take()
    {
        var piece = new BulkPiece(Taken, Length);
        Taken += piece.Length;
        _beingSent++;
        return piece;
    }

    /// <summary>The bytes of a piece.</summary>
    public ArraySegment<byte> BytesOf(BulkPiece piece) => rented.Slice(piece.Offset, piece.Length);

    /// <summary>A piece has been sent.</summary>
    public void NoteSent()
    {
        if (--_beingSent == 0 && IsTaken)
        {
            GiveBack();
        }
    }

    /// <summary>Gives the buffer back, unless the network still reads from it.</summary>
    public void GiveBack()
    {
        if (_beingSent == 0 && rented.Count > 0)
        {
            ArrayPool<byte>.Shared.Return(rented.Array!);
        }
    }
}
