using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// Receives from a connection in pieces as large as its buffer and hands every frame in them to a sink; a frame larger than the buffer
/// is received straight into an array of its own.
/// </summary>
internal sealed class FrameReceiver(IWireConnection wire, int bufferBytes, int maxPayloadBytes, int version, TimeProvider time)
{
    // A lane whose bytes are always there already gives way now and then, or it would keep its thread for good.
    private const int ReceivesBeforeYield = 16;

    private readonly FragmentAssembly _fragments = new(maxPayloadBytes, version);
    private long _lastReceived = time.GetTimestamp();

    /// <summary>When something last arrived, as a timestamp of the clock.</summary>
    public long LastReceived => Volatile.Read(ref _lastReceived);

    /// <summary>Receives until the lane ends.</summary>
    /// <returns>Why it ended, and whether the remote broke the protocol.</returns>
    public async Task<(string Reason, bool IsFault)> RunAsync(IFrameSink sink)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(bufferBytes);
        try
        {
            var filled = 0;
            var withoutWait = 0;
            while (true)
            {
                var receive = wire.ReceiveAsync(buffer.AsMemory(filled));
                withoutWait = receive.IsCompleted ? withoutWait + 1 : 0;
                var received = await receive;
                NoteReceived();
                if (received == 0)
                {
                    return ("the remote closed the connection", false);
                }

                filled += received;
                var used = Consume(buffer.AsMemory(0, filled), sink, out var large, out var end);
                if (end is { } reason)
                {
                    return reason;
                }

                await sink.OnReceivedAsync();
                buffer.AsSpan(used, filled - used).CopyTo(buffer);
                filled -= used;
                if (large is { } header)
                {
                    if (await ReceiveLargeAsync(header, buffer.AsMemory(0, filled), sink) is { } largeEnd)
                    {
                        return largeEnd;
                    }

                    await sink.OnReceivedAsync();
                    filled = 0;
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
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    // Hands over every whole frame; a frame that can never fit into the buffer is reported once all before its payload is here.
    private int Consume(ReadOnlyMemory<byte> bytes, IFrameSink sink, out FrameHeader? large, out (string Reason, bool IsFault)? end)
    {
        var used = 0;
        large = null;
        end = null;
        while (FrameHeader.TryRead(bytes.Span[used..], maxPayloadBytes, version, out var header, out var fault))
        {
            var left = bytes.Length - used;
            if (header.FrameBytes > left)
            {
                large = header.FrameBytes > bufferBytes && left >= header.PayloadOffset ? header : null;
                return used;
            }

            var preface = bytes.Span[(used + FrameHeader.Size)..(used + header.PayloadOffset)];
            var payload = bytes.Slice(used + header.PayloadOffset, header.PayloadBytes);
            used += header.FrameBytes;
            if (header.Kind == FrameKind.Fragment)
            {
                end = Assemble(header.Number, payload.Span, sink);
                if (end is not null)
                {
                    return used;
                }

                continue;
            }

            if (sink.OnFrame(header, preface, payload, owned: false) is { } reason)
            {
                end = (reason, false);
                return used;
            }
        }

        if (FaultAt(bytes.Span[used..]) is { } wrong)
        {
            end = (wrong, true);
        }

        return used;
    }

    private (string Reason, bool IsFault)? Assemble(ulong number, ReadOnlySpan<byte> bytes, IFrameSink sink)
    {
        var message = _fragments.Add(number, bytes, out var fault);
        return fault is not null ? (fault, true)
            : message is { } whole && sink.OnFrame(whole.Header, whole.Preface, whole.Payload, owned: true) is { } reason ? (reason, false)
            : null;
    }

    private string? FaultAt(ReadOnlySpan<byte> bytes)
    {
        FrameHeader.TryRead(bytes, maxPayloadBytes, version, out _, out var fault);
        return fault;
    }

    private async ValueTask<(string Reason, bool IsFault)?> ReceiveLargeAsync(
        FrameHeader header, ReadOnlyMemory<byte> start, IFrameSink sink)
    {
        var preface = start[FrameHeader.Size..header.PayloadOffset].ToArray();
        var payload = GC.AllocateUninitializedArray<byte>(header.PayloadBytes);
        start[header.PayloadOffset..].CopyTo(payload);
        var filled = start.Length - header.PayloadOffset;
        while (filled < payload.Length)
        {
            var received = await wire.ReceiveAsync(payload.AsMemory(filled));
            NoteReceived();
            if (received == 0)
            {
                return ("the remote closed the connection within a message", false);
            }

            filled += received;
        }

        if (header.Kind == FrameKind.Fragment)
        {
            return Assemble(header.Number, payload, sink);
        }

        return sink.OnFrame(header, preface, payload, owned: true) is { } reason ? (reason, false) : null;
    }

    private void NoteReceived() => Volatile.Write(ref _lastReceived, time.GetTimestamp());
}
