namespace Geo.Messaging;

/// <summary>
/// The pieces of large messages that one connection sends: one at a time, the next when the network has taken the last, so that a slow
/// connection carries less and holds nothing up.
/// </summary>
internal sealed class PieceFeed
{
    private readonly LargeOutbox _outbox;
    private readonly Func<bool> _mayTake;
    private readonly IWireConnection? _bulk;
    private readonly TimeProvider _time;
    private readonly Action _wake;
    private readonly byte[] _start = new byte[FrameHeader.Size + PieceHeader.Size];
    private byte[] _copy = [];
    private volatile bool _waits;
    private OutgoingMessage? _message;
    private PieceHeader _piece;
    private bool _pathIsLong = true;
    private long _lastSent;

    /// <param name="outbox">What they are taken from.</param>
    /// <param name="bulk">The connection where it carries nothing else; null where small messages wait behind each piece.</param>
    /// <param name="mayTake">False while pieces go on other connections.</param>
    /// <param name="wake">Called when there may be a piece again after there was none.</param>
    /// <param name="time">The clock.</param>
    public PieceFeed(LargeOutbox outbox, IWireConnection? bulk, Func<bool> mayTake, Action wake, TimeProvider time)
    {
        (_outbox, _bulk, _mayTake, _time, _lastSent) = (outbox, bulk, mayTake, time, time.GetTimestamp());
        _wake = () =>
        {
            _waits = false;
            if (mayTake())
            {
                wake();
            }
            else
            {
                // It was meant for a connection that takes pieces.
                outbox.Wake();
            }
        };
    }

    /// <summary>When a piece was last sent, as a timestamp of the clock.</summary>
    public long LastSent => Volatile.Read(ref _lastSent);

    /// <summary>Adds the next piece to what is to be sent, from where it lies. For the connection's writer alone.</summary>
    /// <returns>True when there was one; once it is sent, <see cref="NoteSent"/> is to be called.</returns>
    public bool TryTake(List<ArraySegment<byte>> batch)
    {
        // A piece that has just come goes with its announcement, before its wake.
        var waits = _waits;
        if (!_mayTake() || (waits && !_outbox.HasPieces))
        {
            return false;
        }

        // It waits once. Set before the attempt: whoever wakes the connection resets it, perhaps before the attempt has returned.
        if (!waits)
        {
            _waits = true;
        }

        if (!_outbox.TryTake(waits ? null : _wake, out _message, out _piece, _bulk is null ? 1 : PieceHeader.MostUnits))
        {
            return false;
        }

        if (!waits)
        {
            _waits = false;
        }

        if (_bulk is not null && _pathIsLong != _outbox.PathIsLong)
        {
            _pathIsLong = !_pathIsLong;
            _bulk.PrepareForBulk(_pathIsLong);
        }

        new FrameHeader(FrameKind.Piece, _message.Number, 0, PieceHeader.Size + _piece.Length).Write(_start);
        _piece.Write(_start.AsSpan(FrameHeader.Size));
        if (!_message.IsLent)
        {
            batch.Add(_start);
            batch.Add(_message.BytesOf(_piece));
            return true;
        }

        // The requester may take its payload back while the network still reads: what that reads is the connection's.
        _copy = _copy.Length >= _piece.Length ? _copy
            : GC.AllocateUninitializedArray<byte>(_piece.Units * PieceHeader.UnitBytes);
        if (!_message.TryCopy(_piece, _copy))
        {
            return false;
        }

        batch.Add(_start);
        batch.Add(new ArraySegment<byte>(_copy, 0, _piece.Length));
        return true;
    }

    /// <summary>The piece that was taken last has been handed to the network.</summary>
    public void NoteSent()
    {
        Volatile.Write(ref _lastSent, _time.GetTimestamp());
        _outbox.NoteSent(_message!, _piece);
    }
}
