using Geo.Emulation;

namespace Geo.Messaging.Tests;

/// <summary>TCP whose sockets belong to one site of an emulated network.</summary>
internal sealed class SiteTransport(TunnelSite site) : IWireTransport
{
    public IWireListener Listen(PeerAddress address) => site.Run(() => SocketTransport.Instance.Listen(address));

    // The socket is made before the call first waits, which is what decides where it belongs.
    public ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
        site.Run(() => SocketTransport.Instance.ConnectAsync(address, cancellationToken));
}
