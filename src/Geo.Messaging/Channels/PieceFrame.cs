namespace Geo.Messaging;

/// <summary>The frame of the piece that a connection sends: its start, and a copy of what must not be sent from where it lies.</summary>
internal sealed class PieceFrame
{
    private const int StartBytes = FrameHeader.Size + PieceHeader.Size;

    private readonly byte[] _start = new byte[StartBytes];
    private byte[] _copy = [];

    /// <summary>Adds a piece to what is to be sent.</summary>
    /// <param name="message">The message.</param>
    /// <param name="piece">Its piece.</param>
    /// <param name="batch">What is to be sent.</param>
    /// <param name="wire">A connection that may take some of it at once; null for none.</param>
    /// <returns>False when the message is gone: the link has ended.</returns>
    public bool TryAdd(OutgoingMessage message, PieceHeader piece, List<ArraySegment<byte>> batch, IWireConnection? wire = null)
    {
        new FrameHeader(FrameKind.Piece, message.Number, 0, PieceHeader.Size + piece.Length).Write(_start);
        piece.Write(_start.AsSpan(FrameHeader.Size));
        if (!message.IsLent)
        {
            batch.Add(_start);
            batch.Add(message.BytesOf(piece));
            return true;
        }

        // The requester may take its payload back while the network still waits to read: what it reads later is the connection's.
        _copy = _copy.Length > 0 ? _copy : GC.AllocateUninitializedArray<byte>(StartBytes + PieceHeader.MaxBytes);
        _start.CopyTo(_copy, 0);
        var frame = new ArraySegment<byte>(_copy, 0, StartBytes + piece.Length);
        if (!message.TryHandOver(piece, frame, StartBytes, wire, out var sent))
        {
            return false;
        }

        if (sent < frame.Count)
        {
            batch.Add(frame[sent..]);
        }

        return true;
    }
}
