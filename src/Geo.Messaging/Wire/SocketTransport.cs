using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>Direct sockets, unencrypted: TCP and, for addresses that name a file, Unix domain.</summary>
internal sealed class SocketTransport : IWireTransport
{
    private const int BulkUnsentBytes = 512 * 1024;
    private const int LinuxTcpLevel = 6;
    private const int LinuxTcpNotSentLowWater = 25;

    public static SocketTransport Instance { get; } = new();

    public IWireListener Listen(PeerAddress address) => ListenSocket(address);

    public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
        new SocketConnection(await ConnectSocketAsync(address, cancellationToken), address);

    /// <inheritdoc cref="Listen"/>
    public static SocketListener ListenSocket(PeerAddress address)
    {
        if (address.UnixPath is not null)
        {
            return UnixSocketFile.Listen(address);
        }

        Socket? socket = null;
        try
        {
            var endPoint = new IPEndPoint(Resolve(address), address.Port);
            socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(endPoint);
            socket.Listen(512);
            return new SocketListener(socket, new PeerAddress(address.Host, ((IPEndPoint)socket.LocalEndPoint!).Port));
        }
        catch (SocketException e)
        {
            socket?.Dispose();
            throw new GeoConfigurationException(
                e.SocketErrorCode == SocketError.AddressAlreadyInUse
                    ? $"Cannot listen on {address}: the port is in use. Stop the process that holds it or choose another port (0 takes a "
                        + "free one)."
                    : $"Cannot listen on {address}: {e.Message}. Choose an address of this machine and a port that this user may use.",
                e);
        }
    }

    /// <inheritdoc cref="ConnectAsync"/>
    public static async ValueTask<Socket> ConnectSocketAsync(PeerAddress address, CancellationToken cancellationToken)
    {
        var socket = address.UnixPath is null ? new Socket(SocketType.Stream, ProtocolType.Tcp) : UnixSocketFile.NewSocket();
        try
        {
            if (address.UnixPath is { } path)
            {
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            }
            else if (IPAddress.TryParse(address.Host, out var ip))
            {
                await socket.ConnectAsync(new IPEndPoint(ip, address.Port), cancellationToken);
            }
            else
            {
                await socket.ConnectAsync(address.Host, address.Port, cancellationToken);
            }

            return socket;
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw new IOException($"Cannot connect to {address}: {e.Message}", e);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Sets a connected socket up and names its remote.</summary>
    /// <exception cref="IOException">The remote has gone already.</exception>
    public static string Prepare(Socket socket, PeerAddress address)
    {
        if (address.UnixPath is not null)
        {
            return address.ToString();
        }

        try
        {
            socket.NoDelay = true;
            return socket.RemoteEndPoint?.ToString() ?? "unknown";
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw new IOException($"The remote was gone at once: {e.Message}", e);
        }
    }

    /// <summary>True when the kernel holds bytes that nobody has received yet.</summary>
    public static bool HasUnread(Socket socket)
    {
        try
        {
            return socket.Available > 0;
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>Tells the remote that nothing more comes, after all that was sent.</summary>
    public static void FinishSending(Socket socket)
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Nothing is left to tell to a connection that is gone.
        }
    }

    /// <summary>
    /// Keeps what waits unsent in a connection's buffer short, so that among several connections the one that has room takes the next
    /// piece. The sizes of the buffers are the kernel's: to ask for one switches its tuning off, and costs most of the rate where less is
    /// to be had.
    /// </summary>
    public static void PrepareForBulk(Socket socket)
    {
        if (!OperatingSystem.IsLinux() || socket.AddressFamily is not (AddressFamily.InterNetwork or AddressFamily.InterNetworkV6))
        {
            return;
        }

        try
        {
            Span<byte> unsent = stackalloc byte[sizeof(int)];
            BinaryPrimitives.WriteInt32LittleEndian(unsent, BulkUnsentBytes);
            socket.SetRawSocketOption(LinuxTcpLevel, LinuxTcpNotSentLowWater, unsent);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The connection has gone, which its first use says, or the kernel does not know the option and works without.
        }
    }

    private static IPAddress Resolve(PeerAddress address) =>
        IPAddress.TryParse(address.Host, out var ip) ? ip
        : address.IsLoopback ? IPAddress.Loopback
        : Dns.GetHostAddresses(address.Host)[0];
}
