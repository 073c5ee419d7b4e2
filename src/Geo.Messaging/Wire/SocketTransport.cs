using System.Net;
using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>Plain TCP over direct sockets.</summary>
internal sealed class TcpTransport : IWireTransport
{
    public static TcpTransport Instance { get; } = new();

    public IWireListener Listen(PeerAddress address) => ListenTcp(address);

    public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
        new TcpConnection(await ConnectTcpAsync(address, cancellationToken));

    /// <inheritdoc cref="Listen"/>
    public static TcpListenerSocket ListenTcp(PeerAddress address)
    {
        Socket? socket = null;
        try
        {
            var endPoint = new IPEndPoint(Resolve(address), address.Port);
            socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(endPoint);
            socket.Listen(512);
            return new TcpListenerSocket(socket, new PeerAddress(address.Host, ((IPEndPoint)socket.LocalEndPoint!).Port));
        }
        catch (SocketException e)
        {
            socket?.Dispose();
            throw new GeoConfigurationException(
                e.SocketErrorCode == SocketError.AddressAlreadyInUse
                    ? $"Cannot listen on {address}: the port is in use. Stop the process that holds it or choose another port (0 takes a free one)."
                    : $"Cannot listen on {address}: {e.Message}. Choose an address of this machine and a port that this user may use.",
                e);
        }
    }

    /// <inheritdoc cref="ConnectAsync"/>
    public static async ValueTask<Socket> ConnectTcpAsync(PeerAddress address, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (IPAddress.TryParse(address.Host, out var ip))
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
    public static string Prepare(Socket socket)
    {
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

    private static IPAddress Resolve(PeerAddress address) =>
        IPAddress.TryParse(address.Host, out var ip) ? ip
        : address.IsLoopback ? IPAddress.Loopback
        : Dns.GetHostAddresses(address.Host)[0];
}
