using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>A listening TCP socket.</summary>
internal sealed class TcpListenerSocket(Socket socket, PeerAddress address) : IWireListener
{
    public PeerAddress Address { get; } = address;

    public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken) =>
        new TcpConnection(await AcceptSocketAsync(cancellationToken));

    /// <inheritdoc cref="AcceptAsync"/>
    public async ValueTask<Socket> AcceptSocketAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await socket.AcceptAsync(cancellationToken);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new IOException($"Cannot accept on {Address}: {e.Message}", e);
        }
    }

    public void Dispose() => socket.Dispose();
}
