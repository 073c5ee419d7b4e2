using System.Buffers;

namespace Geo.Messaging;

/// <summary>A large message that is being gathered, or waits for another of its key.</summary>
/// <param name="number">Its number.</param>
/// <param name="total">The length of its payload.</param>
/// <param name="buffers">The pool of its buffer.</param>
internal sealed class InboundBulk(ulong number, int total, ArrayPool<byte> buffers)
{
    private readonly bool[] _begun = new bool[BulkPiece.CountOf(total)];
    private int _missing = BulkPiece.CountOf(total);
    private bool _isAnnounced;

    /// <summary>Its number.</summary>
    public ulong Number { get; } = number;

    /// <summary>The length of its payload.</summary>
    public int Total { get; } = total;

    /// <summary>The header of its frame, once it is announced.</summary>
    public FrameHeader Header { get; private set; }

    /// <summary>What stands between header and payload, once it is announced.</summary>
    public byte[] Preface { get; private set; } = [];

    /// <summary>Its payload.</summary>
    public ReadOnlyMemory<byte> Payload => Buffer.AsMemory(0, Total);

    /// <summary>The pooled buffer that holds it; whoever handles the message gives it back.</summary>
    public byte[] Buffer { get; } = buffers.Rent(total);

    /// <summary>True while it must not be handed over: another of its key comes first, or it is being handed over already.</summary>
    public bool Waits { get; set; }

    /// <summary>What is handed over after it, in order: large messages and frames of small ones.</summary>
    public Queue<(InboundBulk? Large, byte[]? Small)> Followers { get; } = new();

    /// <summary>True when it can be handed over.</summary>
    public bool IsReady => IsWhole && _isAnnounced && !Waits;

    /// <summary>True when all its pieces are here.</summary>
    public bool IsWhole => _missing == 0;

    /// <summary>Takes its place in the order.</summary>
    public void Announce(FrameHeader header, ReadOnlySpan<byte> preface) =>
        (Header, Preface, _isAnnounced) = (header, preface.ToArray(), true);

    /// <summary>Gives the place of a piece; false when it has begun to come before.</summary>
    public bool TryBegin(BulkPiece piece, out Memory<byte> into)
    {
        into = Buffer.AsMemory(piece.Offset, piece.Length);
        ref var begun = ref _begun[piece.Offset / BulkPiece.MaxBytes];
        return !begun && (begun = true);
    }

    /// <summary>A piece is here.</summary>
    public void NoteArrived() => _missing--;
}
