using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Geo.Messaging;

/// <summary>
/// A TCP or Unix domain connection driven by direct socket calls: one gather write for a batch, receives as large as the caller's buffer.
/// </summary>
internal sealed class SocketConnection : IWireConnection
{
    private readonly Socket _socket;
    private readonly GatherSend _gather = new();
    private ReceivePolling? _polling;

    /// <param name="socket">Connected.</param>
    /// <param name="address">Where one side listens and the other dialled: what names a remote that has no address of its own.</param>
    /// <exception cref="IOException">The remote has gone already.</exception>
    public SocketConnection(Socket socket, PeerAddress address)
    {
        _socket = socket;
        _polling = new ReceivePolling(socket);
        Remote = SocketTransport.Prepare(socket, address);
    }

    public string Remote { get; }

    public bool HasUnread => SocketTransport.HasUnread(_socket);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(List<ArraySegment<byte>> segments)
    {
        try
        {
            if (segments.Count > 1)
            {
                await _gather.SendAsync(_socket, segments);
                return;
            }

            ReadOnlyMemory<byte> rest = segments[0];
            while (!rest.IsEmpty)
            {
                rest = rest[await _socket.SendAsync(rest, SocketFlags.None)..];
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new IOException(e.Message, e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        try
        {
            _polling?.Look();
            return await _socket.ReceiveAsync(buffer, SocketFlags.None);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new IOException(e.Message, e);
        }
    }

    public void PrepareForBulk()
    {
        // What is large is not quick to come.
        _polling = null;
        SocketTransport.PrepareForBulk(_socket);
    }

    public void FinishSending() => SocketTransport.FinishSending(_socket);

    public void Dispose()
    {
        _socket.Dispose();
        _gather.Dispose();
    }
}
