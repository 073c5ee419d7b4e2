using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Geo.Messaging;

/// <summary>
/// A message that is sent by <see cref="LargeOutbox"/>: a large one, or a small one that must go behind a large one of its key. Its payload
/// is in a pooled buffer of its own, which goes back when the last piece has been sent, or is lent by a requester that leaves it alone
/// until its request ends.
/// </summary>
/// <remarks>
/// Loans earn their lines where much is under way: five interleaved rounds of both on a busy machine, without them 8 MB x128 at 20 ms went
/// at 0.69 of the rate (0.44 to 0.96), 512 KB x128 at 0.88 (0.66 to 0.99), and each took a third more processor time.
/// </remarks>
/// <param name="key">The partition key.</param>
/// <param name="start">Its frame before the payload.</param>
/// <param name="header">The header of its frame.</param>
/// <param name="payload">The payload: in a pooled buffer that the message takes over, or lent.</param>
/// <param name="ticket">Its place among all messages.</param>
/// <param name="lentTo">What is told when a loan ends; null for a message with a buffer of its own.</param>
internal sealed class OutgoingMessage(
    PartitionKey key, byte[] start, FrameHeader header, ReadOnlyMemory<byte> payload, long ticket, LargeOutbox? lentTo = null)
{
    private readonly Lock _lock = new();
    private ReadOnlyMemory<byte> _payload = payload;
    private byte[]? _own = lentTo is null && MemoryMarshal.TryGetArray(payload, out var segment) ? segment.Array : null;
    private int _beingSent;
    private int _copied;
    private bool _isGone;

    public PartitionKey Key { get; } = key;

    public byte[] Start { get; } = start;

    public FrameHeader Header { get; } = header;

    /// <summary>Its place among all messages, by which a request finds out whether it was sent.</summary>
    public long Ticket { get; } = ticket;

    /// <summary>The number under which its pieces go; 0 before it is announced.</summary>
    public ulong Number { get; set; }

    /// <summary>The bytes of small messages that have been sent to wait for this one.</summary>
    public long HeldBytes { get; set; }

    public int Length => Header.PayloadBytes;

    public int Taken { get; private set; }

    public bool IsTaken => Taken == Length;

    /// <summary>True when its requester gave it up before any of it was sent: it is passed over.</summary>
    public bool IsGivenUp { get; set; }

    public bool IsLarge => Header.IsLarge;

    /// <summary>True when the payload is, or was, its requester's: then a piece must not be sent from where it lies.</summary>
    public bool IsLent => lentTo is not null;

    public PieceHeader Take(int units)
    {
        var piece = new PieceHeader(Taken, Length, units);
        Taken += piece.Length;
        _beingSent++;
        return piece;
    }

    /// <summary>The bytes of a piece where they lie; of a message that is not lent.</summary>
    public ArraySegment<byte> BytesOf(PieceHeader piece) =>
        MemoryMarshal.TryGetArray(_payload.Slice(piece.Offset, piece.Length), out var bytes) ? bytes : throw new UnreachableException();

    /// <summary>Copies a piece; false when the channel has ended and the payload may be gone.</summary>
    public bool TryCopy(PieceHeader piece, Span<byte> into)
    {
        lock (_lock)
        {
            if (_isGone)
            {
                return false;
            }

            _payload.Span.Slice(piece.Offset, piece.Length).CopyTo(into);
            _copied += piece.Length;
            return true;
        }
    }

    public void CopyTo(Span<byte> into) => _payload.Span.CopyTo(into);

    /// <summary>The request has ended, whose payload the requester takes back.</summary>
    public void EndLoan() => lentTo!.EndLoan(this);

    /// <summary>Keeps what the requester takes back, as far as it is still to be sent.</summary>
    public void Keep()
    {
        lock (_lock)
        {
            if (!_isGone && _own is null && _copied < Length)
            {
                _own = ArrayPool<byte>.Shared.Rent(Length);
                _payload.CopyTo(_own);
                _payload = _own;
            }
        }
    }

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
            if (_own is { Length: > 0 })
            {
                ArrayPool<byte>.Shared.Return(_own);
            }

            _own = null;
        }
    }
}
