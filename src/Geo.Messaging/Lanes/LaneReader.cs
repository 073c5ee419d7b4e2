using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// Receives from a connection as much at a time as its buffer takes and hands every frame in it to a sink; a piece of a large message is
/// received straight into the message.
/// </summary>
internal sealed class LaneReader(IWireConnection wire, int bufferBytes, int maxPayloadBytes, TimeProvider time)
{
    // A lane whose bytes are always there already gives way now and then, or it would keep its thread for good.
    private const int ReceivesBeforeYield = 16;

    private long _lastReceived = time.GetTimestamp();
    private byte[] _buffer = [];
    private int _filled;
    private int _wanted;
    private long _bytes;
    private FrameHeader _pieceFrame;
    private PieceHeader _piece;
    private Memory<byte> _pieceRest;

    /// <summary>How long nothing was received, though it may have come.</summary>
    public TimeSpan Silence => time.GetElapsedTime(Volatile.Read(ref _lastReceived));

    /// <summary>
    /// True when nothing came for longer than a limit. Bytes that wait to be received have come: then this process is slow.
    /// </summary>
    public bool IsSilent(TimeSpan limit, out TimeSpan silence)
    {
        silence = Silence;
        if (silence <= limit || wire.HasUnread)
        {
            return false;
        }

        // Once more: what was unread a moment ago may have been received since.
        silence = Silence;
        return silence > limit;
    }

    /// <summary>The bytes received since the last call. For the sink, when it is handed something.</summary>
    public long TakeBytes()
    {
        var bytes = _bytes;
        _bytes = 0;
        return bytes;
    }

    /// <returns>Why it ended, and whether the remote broke the protocol.</returns>
    public async Task<(string Reason, bool IsFault)> RunAsync(ILaneSink sink)
    {
        // What has come may be there already: its handler must not hold whoever starts the loop, and waits for it, when it blocks.
        await Task.Yield();
        _buffer = ArrayPool<byte>.Shared.Rent(bufferBytes);
        try
        {
            var withoutWait = 0;
            while (true)
            {
                MakeRoom();
                var receive = wire.ReceiveAsync(_buffer.AsMemory(_filled));
                withoutWait = receive.IsCompleted ? withoutWait + 1 : 0;
                var received = await receive;
                NoteReceived(received);
                if (received == 0)
                {
                    return ("the remote closed the connection", false);
                }

                _filled += received;
                if (Consume(sink) is { } end)
                {
                    return end;
                }

                await sink.OnReceivedAsync();
                if (!_pieceRest.IsEmpty)
                {
                    if (!await ReceivePieceAsync(sink))
                    {
                        return ("the remote closed the connection within a message", false);
                    }

                    await sink.OnReceivedAsync();
                }

                if (withoutWait >= ReceivesBeforeYield)
                {
                    withoutWait = 0;
                    await Task.Yield();
                }
            }
        }
        catch (IOException e)
        {
            return (e.Message, false);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(_buffer);
        }
    }

    // Hands over every whole frame and moves what is left, the beginning of another, to the buffer's begin.
    private (string Reason, bool IsFault)? Consume(ILaneSink sink)
    {
        var bytes = _buffer.AsMemory(0, _filled);
        var used = 0;
        _wanted = 0;
        while (FrameHeader.TryRead(bytes.Span[used..], maxPayloadBytes, out var header, out var fault))
        {
            var rest = bytes[used..];
            if (header.Kind == FrameKind.Piece)
            {
                if (rest.Length < FrameHeader.Size + PieceHeader.Size)
                {
                    break;
                }

                if (BeginPiece(header, rest, sink, out var taken) is { } wrong)
                {
                    return (wrong, true);
                }

                used += taken;
                continue;
            }

            if (header.FrameBytes > FrameHeader.MaxFrameBytes)
            {
                return ($"a {header.Kind} frame of {header.FrameBytes} bytes that does not come in pieces", true);
            }

            if (header.FrameBytes > rest.Length)
            {
                _wanted = header.FrameBytes;
                break;
            }

            used += header.FrameBytes;
            var preface = rest.Span[FrameHeader.Size..header.PayloadOffset];
            if (sink.OnFrame(header, preface, rest.Slice(header.PayloadOffset, header.PayloadBytes)) is { } reason)
            {
                return (reason, header.Kind != FrameKind.Goodbye);
            }
        }

        FrameHeader.TryRead(bytes.Span[used..], maxPayloadBytes, out _, out var broken);
        bytes[used..].CopyTo(_buffer);
        _filled -= used;
        return broken is null ? null : (broken, true);
    }

    // What has arrived of a piece is copied to where it belongs; the rest, when it is missing, is received there.
    private string? BeginPiece(FrameHeader header, ReadOnlyMemory<byte> bytes, ILaneSink sink, out int taken)
    {
        const int Start = FrameHeader.Size + PieceHeader.Size;
        taken = 0;
        var fault = header.PayloadBytes <= PieceHeader.Size
            ? "a piece of nothing"
            : PieceHeader.TryRead(bytes.Span[FrameHeader.Size..], header.PayloadBytes - PieceHeader.Size, maxPayloadBytes, out _piece);
        if ((fault ?? sink.BeginPiece(header.Number, _piece, out _pieceRest)) is { } wrong)
        {
            return wrong;
        }

        var here = Math.Min(bytes.Length - Start, _piece.Length);
        bytes.Slice(Start, here).CopyTo(_pieceRest);
        _pieceRest = _pieceRest[here..];
        _pieceFrame = header;
        taken = Start + here;
        if (_pieceRest.IsEmpty)
        {
            sink.EndPiece(header.Number, _piece);
        }

        return null;
    }

    private async ValueTask<bool> ReceivePieceAsync(ILaneSink sink)
    {
        while (!_pieceRest.IsEmpty)
        {
            var received = await wire.ReceiveAsync(_pieceRest);
            NoteReceived(received);
            if (received == 0)
            {
                return false;
            }

            _pieceRest = _pieceRest[received..];
        }

        sink.EndPiece(_pieceFrame.Number, _piece);
        return true;
    }

    // A frame that the buffer does not take gets a larger one, which stays.
    private void MakeRoom()
    {
        if (_wanted > _buffer.Length)
        {
            var larger = ArrayPool<byte>.Shared.Rent(_wanted);
            _buffer.AsSpan(0, _filled).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = larger;
        }
    }

    private void NoteReceived(int bytes)
    {
        _bytes += bytes;
        Volatile.Write(ref _lastReceived, time.GetTimestamp());
    }
}
