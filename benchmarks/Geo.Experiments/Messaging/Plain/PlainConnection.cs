using System.Net.Sockets;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>
/// What can be had from a socket: receives as large as the buffer, large payloads received where they stay, and one gather send for all
/// that has come together meanwhile. What a handler sends while it is called leaves when all that was received has been handled.
/// </summary>
/// <param name="wire">The connection.</param>
/// <param name="handle">Handles a frame: the connection, the header, the payload, and its array when it takes that over.</param>
internal sealed class PlainConnection(
    IPlainWire wire, Action<PlainConnection, Frame, ReadOnlyMemory<byte>, byte[]?> handle) : IDisposable
{
    private const int ReceiveBytes = 256 * 1024;
    private const int ReceiveBytesAfterLarge = 16 * 1024;
    private const int MostWaitingBytes = 8 * 1024 * 1024;

    private readonly Lock _lock = new();
    private SendBatch _waiting = new();
    private SendBatch _leaving = new();
    private TaskCompletionSource? _room;
    private bool _sends;
    private bool _handles;

    /// <summary>Sends a frame; the payload must not change until its reply is here.</summary>
    public void Send(Frame frame, ReadOnlyMemory<byte> payload, byte[]? owned = null)
    {
        lock (_lock)
        {
            _waiting.Add(frame, payload, owned);
            if (_handles || _sends)
            {
                return;
            }

            _sends = true;
        }

        _ = FlushAsync();
    }

    /// <summary>Ends when not too much waits any more.</summary>
    public Task WhenRoomAsync()
    {
        lock (_lock)
        {
            return _waiting.Bytes < MostWaitingBytes
                ? Task.CompletedTask
                : (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Receives until the other side closes.</summary>
    public async Task ReceiveAsync()
    {
        var buffer = new byte[ReceiveBytes];
        var filled = 0;
        var room = ReceiveBytes;
        while (await wire.ReceiveAsync(buffer.AsMemory(filled, room - filled)) is var received and > 0)
        {
            filled += received;
            SetHandles(true);
            var used = HandleWhole(buffer.AsMemory(0, filled));
            SetHandles(false);
            filled -= used;
            buffer.AsSpan(used, filled).CopyTo(buffer);
            room = ReceiveBytes;
            if (filled >= Frame.HeaderBytes && Frame.Read(buffer) is var large && large.PayloadBytes + Frame.HeaderBytes > ReceiveBytes)
            {
                var payload = PayloadPool.Rent(large.PayloadBytes);
                var there = filled - Frame.HeaderBytes;
                buffer.AsSpan(Frame.HeaderBytes, there).CopyTo(payload);
                while (there < payload.Length)
                {
                    there += await wire.ReceiveAsync(payload.AsMemory(there)) is var more and > 0
                        ? more
                        : throw new IOException("The other side closed within a message.");
                }

                handle(this, large, payload, payload);
                filled = 0;

                // Large payloads come in a row: what of the next one is received here has to be copied.
                room = ReceiveBytesAfterLarge;
            }
        }
    }

    public void Dispose() => wire.Dispose();

    private int HandleWhole(ReadOnlyMemory<byte> bytes)
    {
        var used = 0;
        while (bytes.Length - used >= Frame.HeaderBytes)
        {
            var frame = Frame.Read(bytes.Span[used..]);
            if (bytes.Length - used < Frame.HeaderBytes + frame.PayloadBytes)
            {
                break;
            }

            handle(this, frame, bytes.Slice(used + Frame.HeaderBytes, frame.PayloadBytes), null);
            used += Frame.HeaderBytes + frame.PayloadBytes;
        }

        return used;
    }

    private void SetHandles(bool value)
    {
        lock (_lock)
        {
            _handles = value;
            if (value || _sends || _waiting.Bytes == 0)
            {
                return;
            }

            _sends = true;
        }

        _ = FlushAsync();
    }

    private async Task FlushAsync()
    {
        try
        {
            while (true)
            {
                TaskCompletionSource? room;
                lock (_lock)
                {
                    if (_waiting.Bytes == 0)
                    {
                        _sends = false;
                        return;
                    }

                    (_waiting, _leaving) = (_leaving, _waiting);
                    (room, _room) = (_room, null);
                }

                room?.SetResult();
                await wire.SendAsync(_leaving.Segments);
                _leaving.Clear();
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or IOException)
        {
            // The other side is gone, and with it the experiment: the receiving side says so.
        }
    }
}
