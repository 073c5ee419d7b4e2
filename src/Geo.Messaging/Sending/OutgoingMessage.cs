using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// A message that is sent by <see cref="LargeOutbox"/>: a large one, or a small one that must go behind a large one of its key. Its
/// payload is in a pooled buffer of its own, which goes back when the last piece has been sent, or is lent by a requester that leaves it
/// alone until its request ends.
/// </summary>
internal sealed class OutgoingMessage
{
    private const int CopiedFirst = 16 * 1024;

    private readonly Lock _lock = new();
    private readonly ArrayPool<byte> _buffers;
    private readonly LargeOutbox? _lentTo;
    private ReadOnlyMemory<byte> _payload;
    private ArraySegment<byte> _own;
    private int _beingSent;
    private int _copied;
    private bool _isGone;

    /// <summary>A message whose payload is in a pooled buffer that the message takes over.</summary>
    /// <param name="key">The partition key.</param>
    /// <param name="header">The header of its frame.</param>
    /// <param name="start">Its frame before the payload.</param>
    /// <param name="rented">The payload, in a pooled buffer unless it is empty.</param>
    /// <param name="ticket">Its place among all messages.</param>
    /// <param name="buffers">The pool.</param>
    public OutgoingMessage(
        PartitionKey key, FrameHeader header, byte[] start, ArraySegment<byte> rented, long ticket, ArrayPool<byte> buffers)
    {
        (Key, Header, Start, Ticket, _buffers) = (key, header, start, ticket, buffers);
        (_payload, _own) = (rented, rented);
    }

    /// <summary>A request whose payload is its requester's until the loan ends.</summary>
    /// <param name="key">The partition key.</param>
    /// <param name="header">The header of its frame.</param>
    /// <param name="start">Its frame before the payload.</param>
    /// <param name="lent">The payload.</param>
    /// <param name="ticket">Its place among all messages.</param>
    /// <param name="buffers">The pool, for what the requester takes back before it is sent.</param>
    /// <param name="lentTo">The channel.</param>
    public OutgoingMessage(
        PartitionKey key, FrameHeader header, byte[] start, ReadOnlyMemory<byte> lent, long ticket, ArrayPool<byte> buffers,
        LargeOutbox lentTo)
    {
        (Key, Header, Start, Ticket, _buffers) = (key, header, start, ticket, buffers);
        (_payload, _lentTo) = (lent, lentTo);
    }

    /// <summary>The partition key.</summary>
    public PartitionKey Key { get; }

    /// <summary>The header of its frame.</summary>
    public FrameHeader Header { get; }

    /// <summary>Its frame before the payload.</summary>
    public byte[] Start { get; }

    /// <summary>Its place among all messages, by which a request finds out whether it was sent.</summary>
    public long Ticket { get; }

    /// <summary>The number under which its pieces go; 0 before it is announced.</summary>
    public ulong Number { get; set; }

    /// <summary>The bytes of small messages that have been sent to wait for this one.</summary>
    public long HeldBytes { get; set; }

    /// <summary>The length of the payload.</summary>
    public int Length => Header.PayloadBytes;

    /// <summary>How many bytes of it have been taken.</summary>
    public int Taken { get; private set; }

    /// <summary>True when all of it has been.</summary>
    public bool IsTaken => Taken == Length;

    /// <summary>True when its requester gave it up before any of it was sent: it is passed over.</summary>
    public bool IsGivenUp { get; set; }

    /// <summary>True when it goes in pieces.</summary>
    public bool IsLarge => FrameHeader.IsLarge(Header.FrameBytes);

    /// <summary>True when the payload is, or was, its requester's: then a piece must not be sent from where it lies.</summary>
    public bool IsLent => _lentTo is not null;

    /// <summary>Takes the next piece.</summary>
    public PieceHeader Take()
    {
        var piece = new PieceHeader(Taken, Length);
        Taken += piece.Length;
        _beingSent++;
        return piece;
    }

    /// <summary>The bytes of a piece where they lie; of a message that is not lent.</summary>
    public ArraySegment<byte> BytesOf(PieceHeader piece) => _own.Slice(piece.Offset, piece.Length);

    /// <summary>Hands a piece of what is lent over: what a connection takes at once goes from where it lies, the rest is copied.</summary>
    /// <param name="piece">The piece.</param>
    /// <param name="frame">The frame, whose start is there and whose rest is for the copy.</param>
    /// <param name="start">The length of its start.</param>
    /// <param name="wire">The connection; null to copy everything.</param>
    /// <param name="sent">How many bytes of the frame have been sent; the others are in the frame.</param>
    /// <returns>False when the channel has ended and the payload may be gone.</returns>
    public bool TryHandOver(PieceHeader piece, Span<byte> frame, int start, IWireConnection? wire, out int sent)
    {
        sent = 0;
        lock (_lock)
        {
            if (_isGone)
            {
                return false;
            }

            var payload = _payload.Span.Slice(piece.Offset, piece.Length);
            var into = frame[start..];
            var copied = 0;
            if (wire is not null)
            {
                // The start does not go in a packet of its own.
                copied = Math.Min(CopiedFirst, payload.Length);
                payload[..copied].CopyTo(into);
                sent = wire.TrySend(frame[..(start + copied)]);
                if (sent == start + copied)
                {
                    sent += wire.TrySend(payload[copied..]);
                    copied = sent - start;
                }
            }

            payload[copied..].CopyTo(into[copied..]);
            _copied += piece.Length;
            return true;
        }
    }

    /// <summary>Copies the whole payload; of a message that is not lent.</summary>
    public void CopyTo(Span<byte> into) => _payload.Span.CopyTo(into);

    /// <summary>The request has ended, whose payload the requester takes back.</summary>
    public void EndLoan()
    {
        lock (_lock)
        {
            if (_isGone || _copied == Length)
            {
                return;
            }
        }

        _lentTo!.EndLoan(this);
    }

    /// <summary>Keeps what the requester takes back, as far as it is still to be sent.</summary>
    public void Keep()
    {
        lock (_lock)
        {
            if (_isGone || _own.Count > 0 || _copied == Length)
            {
                return;
            }

            _own = new ArraySegment<byte>(_buffers.Rent(Length), 0, Length);
            _payload.CopyTo(_own);
            _payload = _own;
        }
    }

    /// <summary>A piece has been sent.</summary>
    public void NoteSent()
    {
        if (--_beingSent == 0 && IsTaken)
        {
            GiveBack();
        }
    }

    /// <summary>Gives the buffer back, unless the network still reads from it, and lets go of what is lent.</summary>
    public void GiveBack()
    {
        lock (_lock)
        {
            if (_beingSent > 0 && !IsLent)
            {
                return;
            }

            _isGone = true;
            _payload = default;
            if (_own.Count > 0)
            {
                _buffers.Return(_own.Array!);
                _own = ArraySegment<byte>.Empty;
            }
        }
    }
}
