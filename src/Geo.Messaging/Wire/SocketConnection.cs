using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Geo.Messaging;

/// <summary>
/// A TCP or Unix domain connection driven by direct socket calls: one gather write for a batch, receives as large as the caller's buffer.
/// </summary>
internal sealed class SocketConnection : IWireConnection
{
    private const int BulkUnsentBytes = 512 * 1024;
    private const int LinuxTcpLevel = 6;
    private const int LinuxTcpNotSentLowWater = 25;

    private readonly Socket _socket;
    private ReceivePolling? _polling;

    /// <param name="socket">Connected.</param>
    /// <param name="address">Where one side listens and the other dialled: what names a remote that has no address of its own.</param>
    /// <exception cref="IOException">The remote has gone already.</exception>
    public SocketConnection(Socket socket, PeerAddress address)
    {
        (_socket, _polling, Remote) = (socket, new ReceivePolling(socket), address.ToString());
        if (address.UnixPath is null)
        {
            try
            {
                socket.NoDelay = true;
                Remote = socket.RemoteEndPoint?.ToString() ?? "unknown";
            }
            catch (SocketException e)
            {
                socket.Dispose();
                throw new IOException($"The remote was gone at once: {e.Message}", e);
            }
        }
    }

    public string Remote { get; }

    public bool HasUnread
    {
        get
        {
            try
            {
                return _socket.Available > 0;
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return false;
            }
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(List<ArraySegment<byte>> segments)
    {
        try
        {
            if (segments.Count > 1)
            {
                // As NetworkStream does, this relies on a stream socket's taking all of it.
                await _socket.SendAsync(segments, SocketFlags.None);
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

    /// <summary>
    /// Keeps what waits unsent in the connection's buffer short on a long path, so that among several connections the one that has room
    /// takes the next piece; on a short one it costs wake-ups, and gains nothing. The sizes of the buffers are the kernel's: to ask for
    /// one switches its tuning off, and costs most of the rate where less is to be had.
    /// </summary>
    public void PrepareForBulk(bool isLongPath)
    {
        // What is large is not quick to come.
        _polling = null;
        if (!OperatingSystem.IsLinux() || _socket.AddressFamily is not (AddressFamily.InterNetwork or AddressFamily.InterNetworkV6))
        {
            return;
        }

        try
        {
            // None is what the system has been set to.
            Span<byte> unsent = stackalloc byte[sizeof(int)];
            BinaryPrimitives.WriteInt32LittleEndian(unsent, isLongPath ? BulkUnsentBytes : 0);
            _socket.SetRawSocketOption(LinuxTcpLevel, LinuxTcpNotSentLowWater, unsent);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The connection has gone, which its first use says, or the kernel does not know the option and works without.
        }
    }

    public void FinishSending()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Nothing is left to tell to a connection that is gone.
        }
    }

    public void Dispose() => _socket.Dispose();
}
