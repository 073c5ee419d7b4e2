using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>A socket under the platform's TLS, by which both sides show the one certificate that they trust.</summary>
internal sealed class PlainTls(Socket socket) : IPlainWire
{
    private readonly SslStream _stream = new(new NetworkStream(socket, ownsSocket: true));

    public Task AuthenticateAsClientAsync(string certificateFolder)
    {
        var certificate = ExperimentCertificate.Load(certificateFolder);
        return _stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = IPAddress.Loopback.ToString(),
            ClientCertificates = [certificate],
            CertificateChainPolicy = TrustingOnly(certificate),
        });
    }

    public Task AuthenticateAsServerAsync(string certificateFolder)
    {
        var certificate = ExperimentCertificate.Load(certificateFolder);
        return _stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = certificate,
            ClientCertificateRequired = true,
            CertificateChainPolicy = TrustingOnly(certificate),
        });
    }

    public ValueTask<int> ReceiveAsync(Memory<byte> buffer) => _stream.ReadAsync(buffer);

    public async Task SendAsync(List<ArraySegment<byte>> segments)
    {
        foreach (var segment in segments)
        {
            await _stream.WriteAsync(segment);
        }
    }

    public void Dispose()
    {
        socket.Dispose();
        _stream.Dispose();
    }

    private static X509ChainPolicy TrustingOnly(X509Certificate2 certificate)
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.Add(certificate);
        return policy;
    }
}
