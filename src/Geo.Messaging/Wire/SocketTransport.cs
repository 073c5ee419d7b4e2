using System.Net;
using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>Direct sockets, unencrypted: TCP and, for addresses that name a file, Unix domain.</summary>
internal sealed class SocketTransport : IWireTransport
{
    public static SocketTransport Instance { get; } = new();

    public IWireListener Listen(PeerAddress address) =>
        Listen(address, static (socket, address) => new SocketConnection(socket, address));

    public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
        new SocketConnection(await ConnectSocketAsync(address, cancellationToken), address);

    /// <summary>Starts listening for connections that are made of the accepted sockets.</summary>
    /// <inheritdoc cref="Listen(PeerAddress)"/>
    public static SocketListener Listen(PeerAddress address, Func<Socket, PeerAddress, IWireConnection> connect)
    {
        if (address.UnixPath is not null)
        {
            return UnixSocketFile.Listen(address, connect);
        }

        Socket? socket = null;
        try
        {
            var endPoint = new IPEndPoint(Resolve(address), address.Port);
            socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(endPoint);
            socket.Listen(512);
            return new SocketListener(socket, new PeerAddress(address.Host, ((IPEndPoint)socket.LocalEndPoint!).Port), connect);
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
            await (address.UnixPath is { } path
                ? socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken)
                : socket.ConnectAsync(address.Host, address.Port, cancellationToken));
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

    private static IPAddress Resolve(PeerAddress address) =>
        IPAddress.TryParse(address.Host, out var ip) ? ip
        : address.IsLoopback ? IPAddress.Loopback
        : Dns.GetHostAddresses(address.Host)[0];
}
