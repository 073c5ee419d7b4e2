using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>A listening TCP or Unix domain socket.</summary>
/// <param name="socket">The socket.</param>
/// <param name="address">The address with the port that was actually taken.</param>
/// <param name="connect">Makes the connection of an accepted socket.</param>
/// <param name="hold">What is held as long as it listens; null for nothing.</param>
internal sealed class SocketListener(
    Socket socket, PeerAddress address, Func<Socket, PeerAddress, IWireConnection> connect, IDisposable? hold = null) : IWireListener
{
    public PeerAddress Address { get; } = address;

    public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken)
    {
        Socket accepted;
        try
        {
            accepted = await socket.AcceptAsync(cancellationToken);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new IOException($"Cannot accept on {Address}: {e.Message}", e);
        }

        try
        {
            return connect(accepted, Address);
        }
        catch
        {
            accepted.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        socket.Dispose();
        hold?.Dispose();
    }
}
