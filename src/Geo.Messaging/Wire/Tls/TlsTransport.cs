using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Geo.Messaging;

/// <summary>TCP, or Unix domain sockets, with mutual TLS.</summary>
internal sealed class TlsTransport(TlsOptions options, TlsCredentialFiles files) : IWireTransport
{
    private const SslProtocols Protocols = SslProtocols.Tls12 | SslProtocols.Tls13;

    public IWireListener Listen(PeerAddress address) => SocketTransport.Listen(address, Accept);

    public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken)
    {
        var credentials = files.Current();
        var socket = await SocketTransport.ConnectSocketAsync(address, cancellationToken);
        var connection = new TlsConnection(socket, address, stream => stream.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions
            {
                TargetHost = options.ListenerName ?? address.Host,
                ClientCertificateContext = credentials.Own,
                CertificateChainPolicy = credentials.ChainPolicy(),
                EnabledSslProtocols = Protocols,
            },
            cancellationToken));
        try
        {
            await connection.AuthenticateAsync();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private TlsConnection Accept(Socket socket, PeerAddress address)
    {
        var credentials = files.Current();
        return new TlsConnection(socket, address, stream => stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificateContext = credentials.Own,
            ClientCertificateRequired = true,
            CertificateChainPolicy = credentials.ChainPolicy(),
            EnabledSslProtocols = Protocols,
        }));
    }
}
